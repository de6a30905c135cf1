"""The servers that are compared: those started here, and any others by their address."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

from loadtest.corpora.access_masters import Master
from loadtest.errors import InvalidScenario
from loadtest.fleet.image_lists import read_infos
from loadtest.servers.iiif_processor.iiif_processor import iiif_processor_rig
from loadtest.servers.rivals import (
    MEMCACHED_MEBIBYTES,
    TILE_CACHE_MEBIBYTES,
    iipsrv_rig,
    memcached_rig,
    patched_iipsrv_rig,
)
from loadtest.workload.catalogue import Catalogue, Image
from rigs.rig import Rig, vitrine_rig

DERIVATIVE_CACHE_MEBIBYTES = 1_024
_VERSION = 2
"""Version of the Image API: iipsrv 1.1 knows no other."""


@dataclass(frozen=True, kw_only=True)
class MeasuredServer:
    """A server that is measured; `rig` holds its processes if we started it."""

    name: str
    url: str
    """Scheme and host."""
    images: Catalogue
    about: str
    rig: Rig | None = None


@dataclass(frozen=True)
class _Kind:
    start: Callable[[Path], AbstractContextManager[Rig]]
    about: str
    suffix: str = ".tif"
    """Suffix of identifiers, for servers that need the whole name of the file."""


# One client stands for all viewers here: a limit for each of them would be one for all.
NO_LIMIT = {"VITRINE_LARGE_RENDERS_PER_VIEWER": "0"}
KINDS: Mapping[str, _Kind] = {
    "ours": _Kind(
        lambda folder: vitrine_rig(folder, name="ours", **NO_LIMIT),
        "our image task (nginx, gateway, iipsrv); its cache of derivatives off",
    ),
    "ours-cached": _Kind(
        lambda folder: vitrine_rig(
            folder,
            name="ours-cached",
            VITRINE_DERIVATIVE_CACHE_MEBIBYTES=str(DERIVATIVE_CACHE_MEBIBYTES),
            **NO_LIMIT,
        ),
        f"the same with its cache of small derivatives, {DERIVATIVE_CACHE_MEBIBYTES:,} MiB, as "
        "deployed",
    ),
    "iipsrv": _Kind(
        lambda folder: iipsrv_rig(folder, name="iipsrv"),
        "nginx and two iipsrv processes; tile cache off",
    ),
    "iipsrv-cached": _Kind(
        lambda folder: iipsrv_rig(
            folder, name="iipsrv-cached", tile_cache_mebibytes=TILE_CACHE_MEBIBYTES
        ),
        f"nginx and two iipsrv processes; tile cache of {TILE_CACHE_MEBIBYTES} MiB each",
    ),
    "iipsrv-nginx": _Kind(
        lambda folder: iipsrv_rig(folder, name="iipsrv-nginx", answers_kept=True),
        "nginx, which keeps whole answers in a cache of its own, and two iipsrv processes; tile "
        "cache off",
    ),
    "iipsrv-memcached": _Kind(
        lambda folder: memcached_rig(folder, name="iipsrv-memcached"),
        f"nginx and two iipsrv processes that keep whole answers in a memcached of "
        f"{MEMCACHED_MEBIBYTES} MiB; tile cache off",
    ),
    "iipsrv-patched": _Kind(
        lambda folder: patched_iipsrv_rig(folder, name="iipsrv-patched"),
        "nginx and two processes of our iipsrv, as the image task starts it, without any gateway",
    ),
    "iiif-processor": _Kind(
        lambda folder: iiif_processor_rig(folder, name="iiif-processor"),
        "iiif-processor (serverless-iiif) in two node processes; it has no cache",
        suffix="",
    ),
}
"""Servers that can be started, by their names on the command line."""


def start_servers(
    stack: ExitStack, names: Sequence[str], folder: Path, masters: Sequence[Master]
) -> list[MeasuredServer]:
    """Start servers on one folder of access masters, until the stack is left.

    Raises VitrineError."""
    servers = []
    for name in names:
        kind = KINDS[name]
        rig = stack.enter_context(kind.start(folder))
        images = Catalogue.of(image_of(master, kind.suffix) for master in masters)
        url = rig.url
        servers.append(MeasuredServer(name=name, url=url, images=images, about=kind.about, rig=rig))
    return servers


def image_of(master: Master, suffix: str) -> Image:
    """Return an access master named as our servers do: its file's stem and `suffix`."""
    identifier = Path(master.name).stem + suffix
    return Image(
        identifier,
        master.width,
        master.height,
        base=f"/iiif/{_VERSION}/{quote(identifier)}",
        version=_VERSION,
        levels=master.levels,
    )


def server_at(name: str, url: str, images: Iterable[Image]) -> MeasuredServer:
    """Return any server: `url` precedes the identifiers (`https://example.org/iiif/3`).

    Base, version, tiles and limits come from its image information. Raises InvalidScenario if its
    dimensions differ from those of `images`, and TransientError if it does not answer.
    """
    parts = urlsplit(url)
    expected = list(images)
    prefix = url.rstrip("/")
    found = read_infos(
        [f"{prefix}/{quote(image.identifier, safe=':%')}/info.json" for image in expected]
    )
    for image, described in zip(expected, found, strict=True):
        if (described.width, described.height) != (image.width, image.height):
            raise InvalidScenario(
                f"{name} says that {image.identifier} has {described.width} x "
                f"{described.height} pixels, "
                f"the table of images {image.width} x {image.height}: one of them is wrong, and "
                "servers are only compared on the same images"
            )
    return MeasuredServer(
        name=name,
        url=f"{parts.scheme}://{parts.netloc}",
        images=Catalogue.of(found),
        about=f"{prefix}, as it was found; its caches are its own affair",
    )
