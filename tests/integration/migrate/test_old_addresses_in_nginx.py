"""A real nginx with the written files answers in the place of an earlier server."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from rigs.free_port import free_port
from vitrine.local.edge.edge import MODULE
from vitrine.migrate.old_addresses.address_rules import AddressRule, resolve
from vitrine.migrate.old_addresses.write_forwarding import SERVER, write_forwarding

BASE = "https://images.example.edu"
RULES = [
    AddressRule.parse("http://127.0.0.1/loris/{image*}/{request}", "/iiif/2/{image}/{request}"),
    AddressRule.parse("/fcgi-bin/iipsrv.fcgi?IIIF={image*}/{request}", "/iiif/2/{image}/{request}"),
]
OLD = [
    "/loris/pudl0001%2F4612422%2F00000001.jp2/full/full/0/native",
    "/loris/csg/csg-0730/csg-0730_049.jp2/info.json",
    "/loris/ucdlib:33543",
    "/fcgi-bin/iipsrv.fcgi?IIIF=/fronts/N-6660-00-000003-FS-PYR.tif/256,256,256,256/256,256/0/default.jpg",
    "/other",
]


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    port = free_port()
    write_forwarding(RULES, BASE, tmp_path)
    server = (tmp_path / SERVER).read_text()
    server = server.replace("/etc/nginx/conf.d", str(tmp_path))
    server = server.replace("listen 80", f"listen 127.0.0.1:{port}")
    main = tmp_path / "main.conf"
    main.write_text(
        f"load_module {MODULE};\ndaemon off;\nuser root;\nworker_processes 1;\n"
        f"pid {tmp_path}/pid;\nerror_log stderr;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{server}\n}}\n"
    )
    path = f"{os.environ['PATH']}:/usr/sbin"
    arguments = ["nginx", "-c", str(main), "-p", str(tmp_path), "-e", "stderr"]
    with subprocess.Popen(arguments, env={"PATH": path}) as process:
        try:
            _wait(port)
            yield port
        finally:
            process.terminate()
            process.wait(10)


def _wait(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return


def test_old_addresses_are_redirected_as_the_check_says(port: int) -> None:
    for address in OLD:
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", address)
        answer = connection.getresponse()
        path = resolve(RULES, address)
        assert (answer.status, answer.headers["Location"]) == (
            (301, BASE + path) if path else (404, None)
        ), address
        connection.close()
    assert [resolve(RULES, address) is not None for address in OLD] == [True] * 4 + [False]
