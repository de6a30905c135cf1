"""Logs are lines of JSON that can be printed, whatever a client sends."""

import json
import socket
import time
from urllib.parse import urlsplit

import pytest
import requests

from tests.integration.deliver.deliver_rig import Rig
from vitrine.access.keys import Keys
from vitrine.access.tickets import Ticket, sign_ticket


def test_the_access_log_is_json_lines(rig: Rig) -> None:
    address = "/iiif/3/plain/info.json?marker=%22quoted%22"
    requests.get(rig.url + address, headers={"User-Agent": 'a "quoted" \\ agent'}, timeout=30)
    deadline = time.monotonic() + 10  # the line is written after the answer
    while not (lines := [line for line in rig.log("nginx").splitlines() if "marker=" in line]):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    entry = json.loads(lines[-1])
    assert (entry["method"], entry["status"]) == ("GET", 200)
    assert float(entry["gateway_seconds"]) >= 0
    assert (entry["gateway_status"], entry["cache"]) == ("200", "MISS")
    assert entry["user_agent"] == 'a "quoted" \\ agent'


def test_no_log_has_control_characters_of_a_client(rig: Rig) -> None:
    hostile = "\x9b31m\u202e\x7f".encode()
    address = "/iiif/3/plain/info.json?marker=controls"
    headers = {"User-Agent": b"agent" + hostile, "Referer": b"http://e/" + hostile}
    requests.get(rig.url + address, headers=headers, timeout=30)
    deadline = time.monotonic() + 10  # the line is written after the answer
    while not (lines := [line for line in rig.log("nginx").splitlines() if "=controls" in line]):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert lines[-1].isprintable()
    assert json.loads(lines[-1])["user_agent"] == "(not printable ASCII)"


@pytest.mark.parametrize(
    ("path", "logged"),
    [
        ("/restricted/a/{}/iiif/3/t/info.json", "/restricted/a/(ticket)/iiif/3/t/info.json"),
        ("/else/{}?a={}&marker=t", "/else/(ticket)&marker=t"),
    ],
)
def test_no_log_has_a_ticket(rig: Rig, path: str, logged: str) -> None:
    ticket = sign_ticket(Ticket(issued_at=1, expires_at=2, rights=("staff",)), Keys.create())
    requests.get(rig.url + path.replace("{}", ticket), timeout=30)
    deadline = time.monotonic() + 10  # the line is written after the answer
    while f'"{logged}"' not in rig.log("nginx"):
        assert time.monotonic() < deadline, rig.log("nginx")[-2_000:]
        time.sleep(0.01)
    assert "v1." not in rig.log("nginx") + rig.log("gateway")


@pytest.mark.parametrize("hostile", [b"\x1b[2J", "\x9b31m".encode(), "\u202e".encode(), b"\x7f"])
@pytest.mark.parametrize("header", [b"Host: e\r\nReferer: http://e/", b"Host: e"])
def test_what_nginx_says_of_an_error_has_no_control_characters_of_a_client(
    rig: Rig, header: bytes, hostile: bytes
) -> None:
    """Of a body that is too large it would say whence it came, as that is."""
    before = len(rig.log("nginx"))
    place = urlsplit(rig.url)
    with socket.create_connection((place.hostname, place.port), timeout=30) as connection:
        connection.sendall(
            b"POST /iiif/3/plain%0a/info.json HTTP/1.1\r\nContent-Length: 50000\r\n"
            b"Connection: close\r\n" + header + hostile + b"\r\n\r\n"
        )
        answer = connection.recv(65_536)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    if b"Referer" in header:
        assert b"\r\nAccess-Control-Allow-Origin: *" in head
        assert json.loads(body)["status"] == 400
    assert all(line.isprintable() for line in rig.log("nginx")[before:].splitlines())
