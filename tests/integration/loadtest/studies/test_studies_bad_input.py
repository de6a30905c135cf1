"""A server that nobody can trust, one that is not there: a sentence and an exit code."""

import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from loadtest.cli import build_app
from loadtest.cli.study_run import fresh_folder


class Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """Clients that do not trust it hang up."""


SCENARIO = 'users = [2]\nseconds = 5\n[model]\nkind = "report-matrix"\n'


def vitrine(*words: object) -> Result:
    return CliRunner().invoke(build_app(), [str(word) for word in words])


@pytest.fixture(scope="module")
def untrusted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a TLS server whose certificate nobody signed but itself."""
    folder = tmp_path_factory.mktemp("tls")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]
    words += ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    words += ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(words, check=True, capture_output=True)
    server = Quiet(("127.0.0.1", 0), BaseHTTPRequestHandler)
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


def test_a_certificate_that_nobody_signed_is_said_so(
    untrusted: str, images: Path, tmp_path: Path
) -> None:
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(SCENARIO)
    results = ["--images", images, "--results", tmp_path / "results"]
    for words in (
        ["study", "cache-percent", untrusted, *results],
        ["study", "museum", "--url", f"one={untrusted}/iiif/3", *results],
        ["run", scenario, "--url", untrusted, "--images", images],
    ):
        done = vitrine(*words)
        assert done.exit_code == 2, done.output
        assert "cannot be trusted" in done.stderr
        assert "self-signed certificate" in done.stderr
    assert not (tmp_path / "results").exists()


def test_where_nothing_can_be_written_is_said_before_anything_is_measured(
    tmp_path: Path, images: Path
) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file, no folder")
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(SCENARIO)
    nobody = "http://127.0.0.1:1"
    for words in (
        ["study", "cache-percent", nobody, "--images", images],
        ["study", "museum", "--url", f"one={nobody}/iiif/3", "--images", images],
        ["study", "workers"],
        ["study", "photo-door"],
        ["study", "formats"],
        ["study", "answers"],
        ["run", scenario, "--url", nobody, "--images", images],
    ):
        for place in (taken, taken / "below"):
            done = vitrine(*words, "--results", place)
            assert done.exit_code == 2, (words, done.output)
            assert f"nothing can be written to {taken}" in done.stderr
            assert "choose another folder" in done.stderr
    done = vitrine("run", scenario, "--url", nobody, "--csv", taken / "run")
    assert (done.exit_code, "--csv" in done.stderr) == (2, True)


def test_no_run_takes_the_place_of_another_of_the_same_day(tmp_path: Path) -> None:
    first = fresh_folder(tmp_path, "report")
    assert not first.exists()
    for number in (2, 3):
        folder = fresh_folder(tmp_path, "report")
        folder.mkdir()
        assert fresh_folder(tmp_path, "report") == folder
        (folder / "run.json").write_text("{}")
        assert fresh_folder(tmp_path, "report").name == f"{first.name}-{number}"


@pytest.mark.parametrize("url", ["http://127.0.0.1:port", "http://a b", "http://"])
def test_what_is_no_address_is_said_so(url: str, images: Path, tmp_path: Path) -> None:
    results = ["--images", images, "--results", tmp_path / "results"]
    for words in (
        ["study", "cache-percent", url],
        ["study", "museum", "--url", f"one={url}/iiif/3"],
    ):
        done = vitrine(*words, *results)
        assert (done.exit_code, done.exception.__class__) == (2, SystemExit), done.output
        assert done.stderr.lstrip().startswith("vitrine-loadtest: ")


def test_a_server_that_does_not_speak_http_is_said_so(images: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            client, _ = server.accept()
            with client:
                client.recv(1)
                client.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")

        thread = threading.Thread(target=greet)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        done = vitrine("study", "cache-percent", url, "--images", images, "--results", tmp_path)
        thread.join()
    assert (done.exit_code, "does not answer" in done.stderr) == (2, True), done.output
