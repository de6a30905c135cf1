"""The first program of every image's build, on the sources of Debian's own images."""

import subprocess
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[3] / "containers" / "prepare-apt"
SOURCES = """\
Types: deb
# http://snapshot.debian.org/archive/debian/20261110T000000Z
URIs: http://deb.debian.org/debian
Suites: trixie trixie-updates
Components: main

Types: deb
# http://snapshot.debian.org/archive/debian-security/20261110T000000Z
URIs: http://deb.debian.org/debian-security
Suites: trixie-security
Components: main
"""
"""As in debian:trixie-slim (debuerreotype)."""
MOMENT = "20261123T202503Z"


class Image:
    """A folder with the sources of an image, and an apt-get that notes what it is asked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sources = folder / "debian.sources"
        self.sources.write_text(SOURCES)
        self.options = folder / "snapshot"
        self.program = folder / "prepare-apt"
        text = PROGRAM.read_text().replace(
            "/etc/apt/sources.list.d/debian.sources", str(self.sources)
        )
        self.program.write_text(text.replace("/etc/apt/apt.conf.d/snapshot", str(self.options)))
        self.program.chmod(0o755)
        apt = folder / "apt-get"
        apt.write_text(f'#!/bin/sh\necho "$@" >>{folder}/asked\n')
        apt.chmod(0o755)

    def prepare(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.program, *arguments],
            env={"PATH": f"{self.folder}:/usr/bin:/bin"},
            capture_output=True,
            text=True,
        )

    @property
    def calls(self) -> list[str]:
        file = self.folder / "asked"
        return file.read_text().splitlines() if file.exists() else []


@pytest.fixture
def image(tmp_path: Path) -> Image:
    return Image(tmp_path)


def test_all_packages_come_from_the_snapshot(image: Image) -> None:
    assert image.prepare(MOMENT).returncode == 0
    lines = [line for line in image.sources.read_text().splitlines() if line.startswith("URIs")]
    archive = "URIs: http://snapshot.debian.org/archive"
    assert lines == [f"{archive}/debian/{MOMENT}", f"{archive}/debian-security/{MOMENT}"]
    assert image.options.read_text() == 'Acquire::Check-Valid-Until "false";\n'


def test_the_base_image_itself_gets_the_fixes_of_that_moment(image: Image) -> None:
    image.prepare(MOMENT)
    assert image.calls == ["update", "upgrade -y --no-install-recommends"]


def test_the_newest_packages_leave_the_sources_as_they_are(image: Image) -> None:
    assert image.prepare("newest").returncode == 0
    assert image.sources.read_text() == SOURCES
    assert not image.options.exists()


@pytest.mark.parametrize("arguments", [[], [""]])
def test_a_build_without_pinned_packages_is_refused(image: Image, arguments: list[str]) -> None:
    done = image.prepare(*arguments)
    assert done.returncode == 1
    assert "python3 scripts/renew_bases.py" in done.stderr
    assert image.calls == []


def test_other_sources_fail_the_build_rather_than_leave_it_unpinned(image: Image) -> None:
    image.sources.write_text(SOURCES.replace("deb.debian.org", "mirror.example.org"))
    done = image.prepare(MOMENT)
    assert done.returncode == 1
    assert "does not name deb.debian.org" in done.stderr
    assert image.calls == []
