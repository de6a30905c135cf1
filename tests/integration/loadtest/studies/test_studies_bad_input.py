"""A server that nobody can trust, one that is not there: a sentence and an exit code."""

import errno
import json
import os
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loadtest.cli.study_run import fresh_folder
from loadtest.corpora import museum_masters as masters
from tests.integration.loadtest.studies.studies_servers import Handler, Quiet, answering, vitrine

SCENARIO = 'users = [2]\nseconds = 5\n[model]\nkind = "report-matrix"\n'


@pytest.fixture(scope="module")
def untrusted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a TLS server whose certificate nobody signed but itself."""
    folder = tmp_path_factory.mktemp("tls")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]
    words += ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    words += ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(words, check=True, capture_output=True)
    server = Quiet(("127.0.0.1", 0), Handler)
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


def test_image_information_behind_such_a_certificate_is_reported(
    untrusted: str, tmp_path: Path
) -> None:
    address = f"{untrusted}/iiif/3/a/info.json"
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(SCENARIO)
    done = vitrine("run", scenario, "--url", untrusted, "--images", address)
    assert (done.exit_code, "self-signed certificate" in done.stderr) == (2, True)


def test_speaking_tls_to_a_server_that_does_not_is_said_so(images: Path, tmp_path: Path) -> None:
    with answering() as url:
        secure = url.replace("http:", "https:")
        words = ["study", "cache-percent", secure, "--images", images]
        done = vitrine(*words, "--results", tmp_path / "results")
    assert (done.exit_code, "cannot be trusted" in done.stderr) == (2, True)


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


def test_a_list_that_cannot_be_written_is_said_so(tmp_path: Path) -> None:
    line = {"method": "GET", "uri": "/iiif/3/a/full/max/0/default.jpg", "status": 200}
    log = tmp_path / "access.log"
    log.write_text(json.dumps(line) + "\n")
    assert vitrine("record", log, "-o", tmp_path / "list.txt").exit_code == 0
    done = vitrine("record", log, "-o", tmp_path / "none" / "list.txt")
    assert (done.exit_code, "cannot be written" in done.stderr) == (2, True)


def test_no_run_takes_the_place_of_another_of_the_same_day(tmp_path: Path) -> None:
    first = fresh_folder(tmp_path, "report")
    assert not first.exists()
    for number in (2, 3):
        folder = fresh_folder(tmp_path, "report")
        folder.mkdir()
        assert fresh_folder(tmp_path, "report") == folder
        (folder / "run.json").write_text("{}")
        assert fresh_folder(tmp_path, "report").name == f"{first.name}-{number}"


def test_a_table_without_its_columns_is_named_with_what_it_must_have(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("id,w,h\na,1,1\n")
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(SCENARIO)
    for words in (
        ["study", "cache-percent", "http://127.0.0.1:1"],
        ["study", "museum", "--url", "one=http://127.0.0.1:1/iiif/3"],
        ["run", scenario, "--url", "http://127.0.0.1:1"],
    ):
        results = ["--results", tmp_path / "results"]
        with answering() as url:
            here = [str(word).replace("http://127.0.0.1:1", url) for word in words]
            done = vitrine(*here, "--images", wrong, *results)
        assert done.exit_code == 2, done.output
        assert f"{wrong}: the first line of the CSV must name the columns" in done.stderr
        assert "not id, w, h" in done.stderr


def test_a_misspelt_key_of_a_scenario_is_named_with_the_right_one(
    tmp_path: Path, images: Path
) -> None:
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(SCENARIO.replace("seconds", "secnods"))
    words = ["run", scenario, "--url", "http://127.0.0.1:1", "--images", images]
    done = vitrine(*words)
    assert done.exit_code == 2
    assert f"{scenario}: the top level has no key 'secnods'" in done.stderr
    assert "did you mean seconds?" in done.stderr


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


def test_without_a_free_port_it_is_said_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))

    monkeypatch.setattr(masters, "SIZES", {"small.tif": (1_200, 900)})
    monkeypatch.setattr(socket.socket, "bind", refuse)
    done = vitrine(
        *("study", "museum", "--servers", "iipsrv", "--scratch", tmp_path),
        *("--results", tmp_path / "results"),
    )
    assert done.exit_code == 2, done.output
    assert "no free port on 127.0.0.1 (Address already in use): end programs" in done.stderr
    assert not (tmp_path / "results").exists()


def test_wrong_answers_while_a_server_is_warmed_end_with_1(tmp_path: Path, images: Path) -> None:
    """This one answers every request with image information, with which warming begins."""
    with answering() as url:
        words = [
            "study",
            "cache-percent",
            url,
            "--requests",
            "20",
            "--clients",
            "1",
            "--images",
            images,
            "--only-warm",
        ]
        done = vitrine(*words, "--results", tmp_path / "results")
    assert done.exit_code == 1
    assert "errors" in done.stdout


def test_a_service_of_ours_that_does_not_run_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VITRINE_LOCAL_DIRECTORY", str(tmp_path / "none"))
    with answering() as url:
        done = vitrine("study", "cache-percent", url, "--results", tmp_path / "results")
    assert done.exit_code == 2
    assert done.stderr.count("vitrine-loadtest: ") == 1, done.stderr
    assert "make up" in done.stderr
