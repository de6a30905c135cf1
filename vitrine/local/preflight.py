"""Checks before anything is started; each problem is one line that says what to do."""

import re
import shutil
import socket
import subprocess
from collections.abc import Collection
from pathlib import Path

from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.local import emulator
from vitrine.sources.ocr.tesseract import PROGRAM, installed_languages
from vitrine.text.ocr_results.languages import split_languages

FREE_MEBIBYTES = 2048
"""Disk for one large master, its access master and the caches."""
SOCKET_PATH_BYTES = 107
"""The kernel's limit on the path of a Unix socket, sockaddr_un in unix(7)."""
MAX_SOCKET_LENGTH = "task/work/run/gateway-16.sock"
PACKAGES = REPOSITORY / "scripts" / "debian-packages"


def find_problems(directory: Path, ports: dict[str, int]) -> list[str]:
    """Return everything that prevents a start; `ports` by the name of the option that sets each."""
    return [
        *_missing_packages(),
        *_missing_parts(),
        *_taken_ports(ports),
        *_equal_ports(ports),
        *_check_disk(directory),
        *_long_path(directory),
    ]


def find_missing_languages(doors: Collection[str]) -> list[str]:
    """Return what the door `ocr=` needs that is not installed: Tesseract, or a language of it."""
    requested = [door.partition("=")[2] for door in doors if door.startswith("ocr=")]
    if not requested:
        return []
    try:
        names = split_languages(requested[0])
        absent = sorted({*names} - installed_languages(PROGRAM))
    except ValueError as error:
        return [f"--ocr: {error}"]
    except OSError:
        absent = ["eng"]
    packages = " ".join(f"tesseract-ocr-{name.replace('_', '-')}" for name in absent)
    return [f"Tesseract lacks languages; as root run: apt-get install {packages}"] if absent else []


def _missing_packages() -> list[str]:
    required = re.findall(r"^run (\S+)", PACKAGES.read_text(), re.MULTILINE)
    if not shutil.which("dpkg-query"):
        return ["this is not a Debian system: the one-machine service needs Debian 12 or later"]
    listed = subprocess.run(
        ["dpkg-query", "-W", "-f=${Package} ${db:Status-Status}\n", *required],
        capture_output=True,
        text=True,
    )
    installed = {
        line.split()[0] for line in listed.stdout.splitlines() if line.endswith(" installed")
    }
    missing = " ".join(name for name in required if name not in installed)
    cure = f"apt-get install --no-install-recommends {missing}"
    return [f"Debian packages are missing; as root run: {cure}"] if missing else []


def _missing_parts() -> list[str]:
    parts = {
        emulator.python(): "the emulator's virtual environment",
        REPOSITORY / ".venv" / "bin" / "node": "Node.js",
        REPOSITORY / "node_modules" / "openseadragon": "node modules",
        REPOSITORY / ".build" / "viewers": "the viewers of others",
        emulator.PACKAGES: "the Lambda layers",
    }
    return [
        f"{what} is missing: run `make setup`" for path, what in parts.items() if not path.exists()
    ]


def _taken_ports(ports: dict[str, int]) -> list[str]:
    found = []
    for option, port in ports.items():
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError as error:
                variable = option.upper().replace("-", "_")
                found.append(
                    f"port {port} cannot be used ({error.strerror}): stop what listens there, "
                    f"or choose another with --{option} (make up {variable}=…)"
                )
    return found


def _equal_ports(ports: dict[str, int]) -> list[str]:
    options: dict[int, list[str]] = {}
    for option, port in ports.items():
        options.setdefault(port, []).append(f"--{option}")
    return [
        f"{' and '.join(names)} are {'both' if len(names) == 2 else 'all'} {port}: "
        f"choose {'two' if len(names) == 2 else 'three'}"
        for port, names in options.items()
        if len(names) > 1
    ]


def _check_disk(directory: Path) -> list[str]:
    place = next(folder for folder in (directory, *directory.parents) if folder.exists())
    free = shutil.disk_usage(place).free // 2**20
    if free >= FREE_MEBIBYTES:
        return []
    return [
        f"{place} has {free} MiB free, {FREE_MEBIBYTES} MiB are needed: make room, or keep the "
        "service's data elsewhere with VITRINE_LOCAL_DIRECTORY=/path"
    ]


def _long_path(directory: Path) -> list[str]:
    if len(str(directory / MAX_SOCKET_LENGTH).encode()) <= SOCKET_PATH_BYTES:
        return []
    return [
        f"the path {directory} is too long for Unix sockets: "
        "keep the service's data elsewhere with VITRINE_LOCAL_DIRECTORY=/path"
    ]
