"""The site as it is published: each of its scripts in one file, style sheets and scripts minified.

Its sources, in `site/`, are small modules that a browser could load as they are, one after the
other; on a slow line each of them would cost the time of a request. Those of the desk, in `desk/`,
are TypeScript.
"""

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.site.static_files import DESK_FOLDER, VIEWER_FILE

PACKED = Path(__file__).resolve().parents[1] / "packed_site"
"""The site in a wheel (`scripts/build_wheel.py`); a repository has none."""
SITE = REPOSITORY / "site"
DESK = REPOSITORY / "desk"
VIEWER = REPOSITORY / "node_modules" / "openseadragon" / "build" / "openseadragon"
OTHER_VIEWERS = REPOSITORY / ".build" / "viewers"
ESBUILD = REPOSITORY / "node_modules" / "@esbuild"
STYLES = ("style.css", "viewer/viewer.css", "viewers/page.css")
SCRIPTS = (
    *("map/map.js", "missing/missing.js", "search/search.js"),
    *("similar/found.js", "similar/similar.js"),
    *("sorting/sorting.js", "viewer/start.js", "viewer/viewer.js"),
    *("viewer/objects.js", "viewer/texts.js"),
    *("viewers/mirador.js", "viewers/storage.js", "viewers/universalviewer.js"),
)
"""Scripts that pages name. The modules that these import are in them and are no files of their own.
"""
DESK_SOURCES = ("desk.tsx", "desk.css")
DESK_PAGE = "index.html"
ELSEWHERE = ("/similar/*", "/viewer/*", "/openseadragon/*")
"""Addresses of the site, of what a browser loads later."""


class BundlingFailed(RuntimeError):
    """The sources cannot be bundled; the message says why."""


@dataclass(frozen=True)
class SiteFiles:
    """The folders that `publish_site` takes."""

    site: Path
    viewer: Path
    others: Path


@contextmanager
def open_site_files() -> Iterator[SiteFiles]:
    """Give the site as it is published, for as long as that takes. Raises BundlingFailed.

    A wheel has it packed; a repository bundles its sources each time.
    """
    if PACKED.is_dir():
        yield _packed_files(PACKED)
        return
    with TemporaryDirectory(prefix="vitrine-site-") as scratch:
        site = bundle_site(SITE, Path(scratch) / "site")
        bundle_desk(DESK, site / DESK_FOLDER)
        yield SiteFiles(site, VIEWER, OTHER_VIEWERS)


def pack_site(folder: Path) -> None:
    """Write all that is published into the new `folder`, as a wheel has it. Raises as above."""
    packed = _packed_files(folder)
    folder.mkdir()
    bundle_site(SITE, packed.site)
    bundle_desk(DESK, packed.site / DESK_FOLDER)
    packed.viewer.mkdir()
    shutil.copy(VIEWER / VIEWER_FILE, packed.viewer)
    shutil.copytree(OTHER_VIEWERS, packed.others)


def _packed_files(folder: Path) -> SiteFiles:
    return SiteFiles(folder / "site", folder / "openseadragon", folder / "viewers")


def bundle_site(site: Path, folder: Path) -> Path:
    """Write the site of the sources in `site` to the new `folder`, which it returns.

    Raises BundlingFailed if a module or the bundler is missing.
    """
    shutil.copytree(site, folder, ignore=shutil.ignore_patterns("*.js", "*.css"))
    sources = [site / name for name in (*STYLES, *SCRIPTS)]
    external = [f"--external:{address}" for address in ELSEWHERE]
    _run_bundler(sources, site, folder, external)
    return folder


def bundle_desk(desk: Path, folder: Path) -> Path:
    """Write the desk of the sources in `desk` to the new `folder`, which it returns.

    Modules that it loads later are files of their own, named by their content. Raises as above.
    """
    folder.mkdir()
    _run_bundler([desk / name for name in DESK_SOURCES], desk, folder, ["--splitting"])
    shutil.copy(desk / DESK_PAGE, folder)
    return folder


def _run_bundler(sources: Sequence[Path], base: Path, folder: Path, options: Sequence[str]) -> None:
    command: list[str | Path] = [
        find_bundler(),
        *sources,
        *("--bundle", "--minify", "--format=esm", "--target=esnext", "--log-level=warning"),
        *options,
        *(f"--outbase={base}", f"--outdir={folder}"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode or done.stderr:
        raise BundlingFailed(f"The site cannot be bundled: {done.stderr.strip()}")


def find_bundler() -> Path:
    """Return esbuild's program, of which npm installs the one for this machine."""
    try:
        return next(ESBUILD.glob("*/bin/esbuild"))
    except StopIteration:
        raise BundlingFailed(
            f"The bundler is missing in {ESBUILD}: run `make setup` first."
        ) from None
