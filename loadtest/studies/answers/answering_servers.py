"""The servers whose answers are compared, and what each is asked for."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from loadtest.corpora.access_masters import Master
from loadtest.servers.local_caches import clear_derivatives_of
from loadtest.servers.rivals import static_rig
from loadtest.studies.museum import museum_servers
from loadtest.studies.museum.museum_servers import (
    DERIVATIVE_CACHE_MEBIBYTES,
    NO_LIMIT,
    MeasuredServer,
    image_of,
)
from loadtest.workload.catalogue import Catalogue
from rigs.rig import Rig, vitrine_rig
from vitrine.bootstrap.local_service import REPOSITORY

AGAIN = ", again"
"""Ends the name of a row of answers that were requested before."""
OURS, BEFORE, STATIC = "ours", "before", "static"
KEEPING = (OURS, BEFORE, "iipsrv-memcached", "iipsrv-nginx")
"""Servers that keep finished answers."""
_RECORD_SECONDS = "885"
"""The longest lifetime of a record: where one is read again within a round, nginx fetches its tiles
again, and they are not only repeated."""


@dataclass(frozen=True, kw_only=True)
class Contender:
    """A row of the tables: a server, and whether it may use answers that it kept."""

    name: str
    server: MeasuredServer

    @property
    def again(self) -> bool:
        """True for a row of answers that were requested before."""
        return self.name.endswith(AGAIN) or self.name == STATIC

    @property
    def about(self) -> str:
        """What it is, in words for reports."""
        if self.again:
            return f"{self.server.about}; every answer was requested before"
        if self.server.name in KEEPING:
            return f"{self.server.about}; no request finds an answer that was kept"
        return self.server.about


def contenders_of(servers: Sequence[MeasuredServer]) -> Iterator[Contender]:
    """Yield the rows of each server: one, or two if it keeps answers."""
    for server in servers:
        yield Contender(name=server.name, server=server)
        if server.name in KEEPING:
            yield Contender(name=server.name + AGAIN, server=server)


def start_servers(
    stack: ExitStack,
    names: Sequence[str],
    tree: Path | None,
    folder: Path,
    masters: Sequence[Master],
    root: Path,
) -> list[MeasuredServer]:
    """Start servers on one folder of access masters, until the stack is left.

    `BEFORE` is the image task of the checkout `tree`, if there is one; `STATIC` sends the files
    under `root`. Raises VitrineError.
    """
    servers = []
    for name in [*names, *([BEFORE] if tree else [])]:
        if name == OURS:
            rig = stack.enter_context(_image_task(folder, name, REPOSITORY))
            servers.append(_make_server(rig, masters, "our image task as deployed"))
        elif name == BEFORE and tree:
            rig = stack.enter_context(_image_task(folder, name, tree.resolve()))
            servers.append(_make_server(rig, masters, f"the same of {tree.resolve().name}"))
        elif name == STATIC:
            rig = stack.enter_context(static_rig(root, name=name))
            servers.append(
                _make_server(rig, masters, f"the answers of {OURS} as files, from nginx")
            )
        else:
            servers += museum_servers.start_servers(stack, [name], folder, masters)
    return servers


def _make_server(rig: Rig, masters: Sequence[Master], about: str) -> MeasuredServer:
    images = Catalogue.of(image_of(master, ".tif") for master in masters)
    return MeasuredServer(name=rig.name, url=rig.url, images=images, about=about, rig=rig)


@contextmanager
def _image_task(folder: Path, name: str, tree: Path) -> Iterator[Rig]:
    with vitrine_rig(
        folder,
        tree,
        name=name,
        VITRINE_DERIVATIVE_CACHE_MEBIBYTES=str(DERIVATIVE_CACHE_MEBIBYTES),
        VITRINE_IDENTIFIER_TTL_SECONDS=_RECORD_SECONDS,
        **NO_LIMIT,
    ) as rig:
        rig.forget = partial(clear_derivatives_of, rig.work)
        yield rig
