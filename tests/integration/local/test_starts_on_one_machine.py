"""A start that cannot be is refused in a line, and no end of a service leaves anything running."""

import shutil
import socket
from pathlib import Path

import pytest

from rigs.free_port import free_ports
from tests.integration.local.machines import Machine, draw
from vitrine.bootstrap.local_service import LocalService
from vitrine.local import process


def test_a_taken_port_is_one_line_and_nothing_is_started(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = Machine(tmp_path, [port, port, port]).up()
    assert done.returncode == 2
    assert f"vitrine: port {port} cannot be used" in done.stderr.splitlines()[0]
    assert process.read_notes(tmp_path) == []


def test_equal_ports_are_refused(tmp_path: Path) -> None:
    edge, emulator = free_ports(2)
    done = Machine(tmp_path / "s", [edge, edge, emulator]).up()
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        f"vitrine: --edge-port and --origin-port are both {edge}: choose two"
    ]
    assert not (tmp_path / "service").exists()


@pytest.mark.parametrize("verb", ["up", "down"])
def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path, verb: str) -> None:
    (tmp_path / "file").touch()
    done = Machine(tmp_path / "file" / "folder", free_ports(3)).run(verb)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "VITRINE_LOCAL_DIRECTORY=/path" in done.stderr


def test_masters_that_cannot_be_uploaded_are_reported_before_anything_starts(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "masters"
    folder.mkdir()
    never = Machine(tmp_path / "service", free_ports(3))
    done = never.up("--masters", folder)
    assert (done.returncode, done.stderr) == (2, f"vitrine: There are no images in {folder}.\n")
    for name in ("one", "two"):
        (folder / name).mkdir()
        (folder / name / "recto.tif").touch()
    done = never.up("--masters", folder)
    assert done.returncode == 2
    assert f"{folder / 'one/recto.tif'} and {folder / 'two/recto.tif'}" in done.stderr
    assert "rename" in done.stderr
    assert not never.directory.exists()


def test_down_needs_no_folder(tmp_path: Path) -> None:
    lost = Machine(tmp_path / "service", free_ports(3))
    picture = tmp_path / "one.tif"
    draw(picture, 1)
    assert lost.up("--masters", picture).returncode == 0
    started = process.read_notes(lost.directory)
    shutil.rmtree(lost.directory, ignore_errors=True)  # the emulator may write meanwhile
    found = process.read_notes(lost.directory)
    done = lost.run("down")
    assert found == []
    assert done.returncode == 0
    assert "Nothing" not in done.stdout
    assert not any(item.alive for item in started)
    for port in lost.options[1::2]:
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", int(port))) != 0


def test_a_start_that_fails_halfway_leaves_nothing_behind(tmp_path: Path) -> None:
    ports = free_ports(3)
    (tmp_path / "edge").write_text("a file where the edge wants its folder")
    done = Machine(tmp_path, ports).up()
    assert done.returncode == 2
    assert process.read_notes(tmp_path) == []
    assert LocalService.load(tmp_path) is None
    for port in ports:
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", port)) != 0
