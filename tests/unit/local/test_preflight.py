"""Bad starts: one line each, saying what is wrong and how to mend it."""

import shutil
import socket
from pathlib import Path
from typing import NamedTuple

import pytest

from rigs.free_port import free_ports
from vitrine.local import preflight


class Usage(NamedTuple):
    """What shutil.disk_usage answers."""

    total: int
    used: int
    free: int


def test_a_taken_port_is_named_with_the_way_to_change_it(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        found = preflight.find_problems(tmp_path, {"edge-port": port})
    about = [line for line in found if str(port) in line]
    assert len(about) == 1
    assert "--edge-port" in about[0]
    assert "EDGE_PORT=" in about[0]


def test_a_full_disk_is_reported_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(2**40, 2**40, 5 * 2**20))
    found = preflight.find_problems(tmp_path / "not" / "there", {})
    assert any("5 MiB free" in line and "VITRINE_LOCAL_DIRECTORY" in line for line in found)
    assert not (tmp_path / "not").exists()


def test_a_missing_debian_package_is_named_with_the_line_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = tmp_path / "debian-packages"
    packages.write_text("# what needs it, its name\nrun no-such-package\ntest other-package\n")
    monkeypatch.setattr(preflight, "PACKAGES", packages)
    found = preflight.find_problems(tmp_path, {})
    about = [line for line in found if "no-such-package" in line]
    assert len(about) == 1
    assert "apt-get install" in about[0]
    assert "other-package" not in about[0]


def test_a_path_too_long_for_a_socket_is_reported(tmp_path: Path) -> None:
    found = preflight.find_problems(tmp_path / ("x" * 100), {})
    assert any("too long for Unix sockets" in line for line in found)


def test_equal_ports_are_reported_though_they_are_free(tmp_path: Path) -> None:
    one, other = free_ports(2)
    found = preflight.find_problems(
        tmp_path, {"edge-port": one, "origin-port": one, "emulator-port": other}
    )
    assert f"--edge-port and --origin-port are both {one}: choose two" in found
    assert not any(str(other) in line for line in found)
