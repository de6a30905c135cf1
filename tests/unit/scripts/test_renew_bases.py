"""The renewal of the containers' bases, against servers that answer as the real ones do."""

import hashlib
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "scripts" / "renew_bases.py"
INDEX = b'{"schemaVersion": 2, "manifests": []}'
KIND = "application/vnd.oci.image.index.v1+json"
DIGEST = "sha256:" + hashlib.sha256(INDEX).hexdigest()
MOMENT = "20261123T202503Z"
SCOPE = "repository:library/debian:pull"


class Servers(ThreadingHTTPServer):
    """A registry that wants a token for a scope, and an archive that leads to its last snapshot."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.kind = KIND
        self.index = INDEX
        self.suites = {"debian": "trixie", "debian-security": "trixie-security"}
        self.asked: list[str] = []


class _Handler(BaseHTTPRequestHandler):
    server: Servers

    def do_GET(self) -> None:
        servers = self.server
        servers.asked.append(self.path)
        if self.path == "/v2/library/debian/manifests/trixie-slim":
            if self.headers["Authorization"] != "Bearer for-pulls":
                fields = f'realm="{servers.url}/token",service="hub",scope="{SCOPE}"'
                self._answer(401, **{"WWW-Authenticate": f"Bearer {fields}"})
            else:
                self._answer(200, servers.index, **{"Content-Type": servers.kind})
        elif self.path.startswith("/token?"):
            is_right = "scope=repository%3Alibrary%2Fdebian%3Apull" in self.path
            token = {"token": "for-pulls" if is_right else ""}
            self._answer(200, json.dumps(token).encode())
        elif found := re.fullmatch(r"/archive/(.*)/(\d+T\d+Z)/dists/(.*)/InRelease", self.path):
            self._lead(*found.groups())
        else:
            self._answer(404)

    def _lead(self, archive: str, moment: str, suite: str) -> None:
        if moment > MOMENT and archive == "debian":
            latest = self.path.replace(moment, MOMENT)
            self._answer(302, Location=f"{self.server.url}{latest}")
        elif self.server.suites[archive] == suite:
            self._answer(200, f"Origin: Debian\nCodename: {suite}\n".encode())
        else:
            self._answer(404)

    def _answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def servers() -> Iterator[Servers]:
    made = Servers()
    Thread(target=made.serve_forever, args=(0.05,), daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "bases.toml"
    made.write_text((ROOT / "containers" / "bases.toml").read_text())
    return made


def renew(file: Path, url: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, SCRIPT, "--file", file, "--registry", url, "--snapshots", url],
        capture_output=True,
        text=True,
    )


def test_digest_and_snapshot_are_written_and_the_rest_of_the_file_stays(
    servers: Servers, file: Path
) -> None:
    before = file.read_text()
    done = renew(file, servers.url)
    assert (done.returncode, done.stderr) == (0, "")
    values = tomllib.loads(file.read_text())
    assert (values["digest"], values["snapshot"]) == (DIGEST, MOMENT)
    assert values["image"] == tomllib.loads(before)["image"]
    assert file.read_text().splitlines()[:-2] == before.splitlines()[:-2]
    # The second archive is asked for the moment that the first one has.
    assert f"/archive/debian-security/{MOMENT}/dists/trixie-security/InRelease" in servers.asked


def test_the_same_again_changes_nothing(servers: Servers, file: Path) -> None:
    renew(file, servers.url)
    before = file.read_text()
    done = renew(file, servers.url)
    assert (done.returncode, done.stdout) == (0, "Nothing is newer.\n")
    assert file.read_text() == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"kind": "application/vnd.oci.image.manifest.v1+json"}, "not an index of all arch"),
        ({"index": b"x" * (1 << 20) + b"x"}, "more than 1,048,576 bytes"),
        ({"suites": {"debian": "forky", "debian-security": ""}}, "answers 404"),
    ],
)
def test_an_invalid_answer_leaves_the_file_as_it_is(
    servers: Servers, file: Path, change: dict[str, object], reason: str
) -> None:
    vars(servers).update(change)
    before = file.read_text()
    done = renew(file, servers.url)
    assert (done.returncode, done.stdout) == (1, "")
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
    assert file.read_text() == before


def test_a_server_that_does_not_answer_leaves_the_file_as_it_is(file: Path) -> None:
    before = file.read_text()
    done = renew(file, "http://127.0.0.1:9")
    assert done.returncode == 1
    assert "did not answer" in done.stderr
    assert file.read_text() == before
