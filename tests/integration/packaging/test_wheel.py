"""The wheel, installed where there is nothing else: each door opens with what it declares."""

import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.build_wheel import PACKAGES, build_wheel, list_tracked

ROOT = Path(__file__).resolve().parents[3]
UV = Path(sys.executable).with_name("uv")
HOUSES = PACKAGES
IMPORT_ALL = """
import importlib.util, pkgutil, sys
if importlib.util.find_spec("locust"):
    import locust  # it replaces parts of the standard library, and wants to be the first
for house in sys.argv[1:]:
    for module in pkgutil.walk_packages([importlib.import_module(house).__path__[0]], house + "."):
        if not module.name.endswith(("__main__", "emulator_launch")):
            importlib.import_module(module.name)
"""
PUBLISH = """
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.local.site_bundle import open_site_files
from vitrine.site.static_files import publish_site
store = MemoryObjectStore()
with open_site_files() as files:
    publish_site(store, files.site, files.viewer, files.others, "", "https://images.example.org")
for key in ("viewer/viewer.js", "search/search.js", "style.css", "icon.svg", "index.html",
            "openseadragon/openseadragon.min.js", "viewers/mirador/mirador.min.js"):
    assert store.get(key)[0], key
"""
Install = Callable[[str], Path]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def install(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Install:
    """Add the wheel with some extras, in the versions of our lock, and return its `bin`.

    There is one environment, which grows: each door declares all that the one before it does.
    """
    folder = tmp_path_factory.mktemp("grown") / "environment"
    subprocess.run([UV, "venv", "-q", "--python", sys.executable, folder], check=True)

    def into_the_environment(extras: str) -> Path:
        what = f"vitrine[{extras}] @ {wheel.as_uri()}" if extras else f"vitrine @ {wheel.as_uri()}"
        lock = ROOT / "requirements/dev.txt"
        command = [UV, "pip", "install", "-q", "--python", folder / "bin/python"]
        # pyvips has no wheel: it is built with what uv keeps from `make setup`.
        subprocess.run([*command, "--constraints", lock, what], check=True)
        return folder / "bin"

    return into_the_environment


def run(command: list[str | Path], folder: Path) -> str:
    """Run it in a folder without our sources, and return what it prints."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={"PATH": ""})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_all_data_files_are_in_the_wheel(wheel: Path) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    assert set(list_tracked(*HOUSES)) <= packed


def test_nothing_but_our_packages_is_in_the_wheel(wheel: Path) -> None:
    tops = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(HOUSES)


@pytest.mark.parametrize(
    ("extras", "houses", "program"),
    [
        ("operate", [], "vitrine"),
        ("operate,ingest,photos,mcp", ["vitrine"], "vitrine"),
        ("loadtest", ["vitrine", "rigs", "loadtest"], "vitrine-loadtest"),
        ("capacity", ["vitrine", "rigs", "loadtest", "capacity"], "vitrine-capacity"),
    ],
)
def test_a_door_opens_with_what_it_declares(
    install: Install, tmp_path: Path, extras: str, houses: list[str], program: str
) -> None:
    programs = install(extras)
    assert "Usage" in run([programs / program, "--help"], tmp_path)
    if houses:
        run([programs / "python", "-W", "error", "-c", IMPORT_ALL, *houses], tmp_path)


def test_an_installed_wheel_publishes_a_site_without_node(install: Install, tmp_path: Path) -> None:
    run([install("operate") / "python", "-c", PUBLISH], tmp_path)
