"""A server that nobody can trust, one that is not there, Ctrl-C: a sentence and an exit code."""

import json
import signal
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from vitrine.cli import build_app

PROGRAM = Path(sys.executable).parent / "vitrine"
SCENARIO = 'users = [2]\nseconds = 5\n[model]\nkind = "report-matrix"\n'


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps({"id": "x", "width": 3000, "height": 2000}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Quiet."""


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """Clients that do not trust it hang up."""


@pytest.fixture(scope="module")
def untrusted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a TLS server whose certificate nobody signed but itself."""
    folder = tmp_path_factory.mktemp("tls")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]
    words += ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    words += ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(words, check=True, capture_output=True)
    server = _Quiet(("127.0.0.1", 0), _Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield f"https://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def images(tmp_path: Path) -> Path:
    path = tmp_path / "images.csv"
    path.write_text("identifier,width,height\na,3000,2000\n")
    return path


def vitrine(*words: object) -> Result:
    return CliRunner().invoke(build_app(), [str(word) for word in words])


def test_a_certificate_that_nobody_signed_is_said_so(
    untrusted: str, images: Path, tmp_path: Path
) -> None:
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(SCENARIO)
    results = ["--images", images, "--results", tmp_path / "results"]
    for words in (
        ["bench", "cache", untrusted, *results],
        ["bench", "report", "--url", f"one={untrusted}/iiif/3", *results],
        ["loadtest", "run", scenario, "--url", untrusted, "--images", images],
    ):
        done = vitrine(*words)
        assert done.exit_code == 2, done.output
        assert "cannot be trusted" in done.stderr
        assert "self-signed certificate" in done.stderr
    assert not (tmp_path / "results").exists()


def test_image_information_behind_such_a_certificate_is_said_so_too(
    untrusted: str, tmp_path: Path
) -> None:
    address = f"{untrusted}/iiif/3/a/info.json"
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(SCENARIO)
    done = vitrine("loadtest", "run", scenario, "--url", untrusted, "--images", address)
    assert (done.exit_code, "self-signed certificate" in done.stderr) == (2, True)


def test_speaking_tls_to_a_server_that_does_not_is_said_so(images: Path, tmp_path: Path) -> None:
    server = _Quiet(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    url = f"https://127.0.0.1:{server.server_port}"
    done = vitrine("bench", "cache", url, "--images", images, "--results", tmp_path / "results")
    server.shutdown()
    thread.join()
    server.server_close()
    assert (done.exit_code, "cannot be trusted" in done.stderr) == (2, True)


def test_ctrl_c_keeps_what_the_tuning_of_workers_has(tmp_path: Path) -> None:
    program = (
        "from vitrine.measure.studies.museum import masters;"
        "masters.SIZES = {'small.tif': (2_900, 2_100)};"
        "from vitrine.cli import main; main()"
    )
    words = ["bench", "workers", "--servers", "iipsrv", "--processes", "1", "--clients", "2"]
    words += ["--seconds", "0.5", "--rounds", "50", "--scratch", str(tmp_path)]
    words += ["--results", str(tmp_path / "results")]
    with subprocess.Popen(
        [sys.executable, "-c", program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr
        for line in process.stderr:
            if b"round 1 of 50 is done" in line:
                break
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate()
    assert process.returncode == 1, output
    assert b"interrupted" in output
    [path] = (tmp_path / "results").glob("*/run.json")
    figures = json.loads(path.read_text())["figures"]
    assert figures["complete"] is False
    assert figures["rounds"]
    assert '<p class="bad">The run was interrupted' in path.with_name("index.html").read_text()


def test_ctrl_c_keeps_what_the_share_from_a_cache_has(tmp_path: Path, images: Path) -> None:
    server = _Slow(("127.0.0.1", 0), _SlowHandler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}"
    words = ["bench", "cache", url, "1000", "90", "1", "--images", str(images), "--skip-warm"]
    words += ["--results", str(tmp_path / "results")]
    with subprocess.Popen([PROGRAM, *words], stdout=subprocess.PIPE) as process:
        assert server.asked.wait(30)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate()
    server.shutdown()
    thread.join()
    server.server_close()
    assert process.returncode == 1
    assert b"interrupted: these are partial results" in output
    [path] = (tmp_path / "results").glob("*/run.json")
    assert json.loads(path.read_text())["figures"]["complete"] is False


class _Slow(_Quiet):
    """Tells when it was asked a few times."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.asked = threading.Event()
        self.count = 0


class _SlowHandler(_Handler):
    protocol_version = "HTTP/1.1"
    server: _Slow

    def do_GET(self) -> None:
        self.server.count += 1
        if self.server.count > 5:
            self.server.asked.set()
            time.sleep(0.2)
        super().do_GET()
