"""The gateway's processes: any of them may fall, and together they read what one would."""

import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest
import requests

from tests.integration.deliver.deliver_rig import REPOSITORY, Rig
from tests.integration.deliver.loaded_pictures import (
    NO_DERIVATIVE_CACHE,
    PICTURE,
    WHOLE,
    assert_right,
    rendered_regions,
)
from tests.integration.deliver.recognised_pictures import write_ours
from tests.integration.deliver.stored_rig import Answer, StoredRig, ask_at_once, stored_rig
from tests.patience import SECONDS, until
from tests.rigs.image_addresses import address, random_tiles
from vitrine.deliver.metrics.program_cpu import process_tree
from vitrine.deliver.server.processes import gateway_socket
from vitrine.records import Gone, record_as_json

PROCESSES = 2
ROUNDS = 8


@pytest.fixture(scope="module")
def pyramid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pyramids") / "coordinates.tif"
    write_ours(PICTURE, path)
    return path


@pytest.fixture(scope="module")
def rig() -> Iterator[StoredRig]:
    # nginx keeps nothing: every request reaches a process.
    none = NO_DERIVATIVE_CACHE | {"VITRINE_TILE_CACHE_MEBIBYTES": "0"}
    own = {"VITRINE_IDENTIFIER_TTL_SECONDS": "1", "TEST_PATIENT_READS": "1"}
    with stored_rig(**none, **own) as running:
        yield running


@pytest.fixture(autouse=True)
def all_serve(rig: StoredRig) -> Iterator[None]:
    yield
    rig.server.delay(0)
    until(lambda: all(map(serves, numbered_sockets(rig.rig))))


def numbered_sockets(rig: Rig) -> list[Path]:
    return [gateway_socket(rig.work, number) for number in range(1, PROCESSES + 1)]


def ask_process(path: Path, target: str) -> tuple[HTTPResponse, bytes]:
    """Ask one process itself, as nginx does. Raises OSError."""
    connection = HTTPConnection("localhost", timeout=SECONDS)
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.settimeout(SECONDS)
    with closing(connection):
        connection.sock.connect(str(path))
        connection.request("GET", target, headers={"X-Request-Uri": target})
        response = connection.getresponse()
        return response, response.read()


def serves(path: Path) -> bool:
    try:
        return ask_process(path, "/healthz")[0].status == 200
    except OSError:
        return False


async def kill_one(rig: StoredRig, chance: random.Random) -> None:
    """Kill a process of the gateway at any moment of the next third of a second."""
    await asyncio.sleep(chance.uniform(0, 0.3))
    os.kill(chance.choice(rig.rig.children("gateway")), signal.SIGKILL)


def test_a_killed_process_costs_no_request_and_no_byte(rig: StoredRig, pyramid: Path) -> None:
    images = [rig.publish(pyramid) for _ in range(4)]
    chance = random.Random(17)

    async def load(number: int) -> list[Answer]:
        paths = random_tiles(images[0], 60, seed=number) + rendered_regions(number % 5)
        rounds = [ask_at_once(rig.rig.url, image, paths) for image in images]
        *found, _ = await asyncio.gather(*rounds, kill_one(rig, chance))
        return [answer for answers in found for answer in answers]

    for number in range(ROUNDS):
        before = set(rig.rig.children("gateway"))
        assert_right(asyncio.run(load(number)))
        until(lambda: all(map(serves, numbered_sockets(rig.rig))))
        assert len(before & set(rig.rig.children("gateway"))) == PROCESSES - 1


def test_a_process_killed_while_it_fetches_costs_no_request(rig: StoredRig, pyramid: Path) -> None:
    rig.server.delay(0.5)
    images = [rig.publish(pyramid) for _ in range(4)]

    async def load() -> list[Answer]:
        rounds = [
            asyncio.create_task(ask_at_once(rig.rig.url, image, random_tiles(image, 20, seed=4)))
            for image in images
        ]
        # Heads arrive after half a second, blocks after one: half of the pieces are on disk.
        await asyncio.sleep(0.8)
        os.kill(rig.rig.children("gateway")[0], signal.SIGKILL)
        return [answer for found in await asyncio.gather(*rounds) for answer in found]

    assert_right(asyncio.run(load()))
    rig.server.delay(0)
    for image in images:
        assert_right(rig.ask(image, random_tiles(image, 60, seed=5)))


def test_a_large_answer_outlives_the_process_that_made_it(rig: StoredRig, pyramid: Path) -> None:
    image = rig.publish(pyramid)
    [whole] = rig.ask(image, ["0,0,1600,1300/1600,1300/0/default.png"])
    assert 4_000_000 < len(whole.body) < 8_000_000
    before = bytes_read(rig.rig, "nginx")
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # a slow client
        client.settimeout(SECONDS)
        client.connect(("127.0.0.1", rig.rig.port))
        request = f"GET {address(image, whole.parameters)} HTTP/1.0\r\nHost: localhost\r\n\r\n"
        client.sendall(request.encode())
        received = client.recv(1024)
        # The first part, up to 32 KiB, is received, not read.
        taken = len(whole.body) - (32 << 10)
        until(lambda: bytes_read(rig.rig, "nginx") - before >= taken)
        for child in rig.rig.children("gateway"):
            os.kill(child, signal.SIGKILL)
        while part := client.recv(1 << 20):
            received += part
    assert received.partition(b"\r\n\r\n")[2] == whole.body


def test_a_process_stops_once_nginx_has_taken_all_of_its_answer(
    rig: StoredRig, pyramid: Path
) -> None:
    image = rig.publish(pyramid)
    target = address(image, "0,0,1600,1300/1600,1300/0/default.png")
    whole = requests.get(f"{rig.rig.url}{target}", timeout=SECONDS).content
    before = rig.rig.children("gateway")
    path = numbered_sockets(rig.rig)[0]
    with closing(HTTPConnection("localhost")) as connection:
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(SECONDS)
        connection.sock.connect(str(path))
        connection.request("GET", target, headers={"X-Request-Uri": target})
        response = connection.getresponse()
        os.kill(before[0], signal.SIGTERM)
        # More than the quiet half second after which a process without requests ends.
        time.sleep(1.5)
        assert response.read() == whole
    until(lambda: before[0] not in rig.rig.children("gateway"))


def bytes_read(rig: Rig, name: str) -> int:
    """Return what a program's processes have read so far, from files and sockets."""
    pids = process_tree(rig.processes[name].pid)
    texts = [Path(f"/proc/{pid}/io").read_text() for pid in pids]
    return sum(int(text.split()[1]) for text in texts)


def test_a_hundred_readers_of_a_cold_image_read_nothing_twice(
    rig: StoredRig, pyramid: Path
) -> None:
    rig.server.delay(0.3)
    for number in range(3):
        image = rig.publish(pyramid)
        rig.server.forget()
        paths = random_tiles(image, 90, seed=number) + [f"{WHOLE}/128,95/0/default.jpg"] * 10
        assert_right(rig.ask(image, paths))
        assert rig.server.summary().repeated == 0
        before = rig.server.summary().reads
        for base in ("/iiif/2", "/iiif/3"):  # and in either spelling, of one process
            target = f"{rig.rig.url}{base}/{image.identifier}/{paths[0]}?query"
            assert requests.get(target, timeout=SECONDS).status_code == 200
        assert rig.server.summary().reads == before


def test_a_withdrawn_image_vanishes_in_every_process(rig: StoredRig, pyramid: Path) -> None:
    image = rig.publish(pyramid)
    target = f"/iiif/3/{image.identifier}/info.json"

    def statuses() -> set[int]:
        return {ask_process(path, target)[0].status for path in numbered_sockets(rig.rig)}

    assert statuses() == {200}
    gone = Gone(identifier=image.identifier, reason="rights", changed_at=image.published_at)
    items = [record_as_json(record) for record in rig.records.values() if record is not image]
    new = rig.rig.work / "records.new"
    new.write_text(json.dumps([*items, record_as_json(gone)]))
    new.rename(rig.rig.store / "records.json")
    until(lambda: statuses() == {410})
    del rig.records[image.identifier]


def test_the_task_is_healthy_and_ready_while_a_process_hangs(rig: StoredRig) -> None:
    healthy = [str(REPOSITORY / "containers/gateway/healthy")]
    for child in rig.rig.children("gateway"):
        os.kill(child, signal.SIGSTOP)
        try:
            done = subprocess.run(healthy, env=rig.rig.environment(), capture_output=True)
            assert done.returncode == 0, done.stderr
        finally:
            os.kill(child, signal.SIGCONT)


def test_a_process_that_hangs_is_replaced_and_costs_no_request(
    rig: StoredRig, pyramid: Path
) -> None:
    images = [rig.publish(pyramid) for _ in range(4)]
    before = rig.rig.children("gateway")
    os.kill(before[0], signal.SIGSTOP)

    async def load() -> list[Answer]:
        paths = random_tiles(images[0], 10, seed=6)
        rounds = [ask_at_once(rig.rig.url, image, paths) for image in images]
        return [answer for answers in await asyncio.gather(*rounds) for answer in answers]

    assert_right(asyncio.run(load()))
    until(lambda: before[0] not in rig.rig.children("gateway"))


def test_every_process_says_in_its_log_which_it_is(rig: StoredRig) -> None:
    lines = [json.loads(line) for line in rig.rig.log("gateway").splitlines()]
    assert {line["process"] for line in lines if "ready to serve" in line["message"]} == {1, 2}
