"""The images, really built, run as the deployed task definition says."""

import http.client
import io
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import requests
from numpy.typing import NDArray
from PIL import Image

from tests.integration.containers.contained_task import Origin
from tests.integration.containers.published_pictures import (
    NOISE,
    NOISE_SIZE,
    RAMP,
    RAMP_SIZE,
    assert_ramp,
)
from tests.integration.local.api_client import open_api
from tests.unit.photos.photo_bench import photograph

CONTAINERS = ("iipsrv", "gateway", "nginx", "photos")
BOX = (101, 203, 701, 605)
"""Unaligned, so no tile."""
LIBRARIES = """
import ctypes, io, httptools, numpy, pyvips, PIL.Image
picture = pyvips.Image.black(64, 64, bands=3).copy(interpretation="srgb")
for suffix in (".jpg", ".png", ".webp", ".tif", ".gif", ".avif"):
    picture.write_to_buffer(suffix)
ctypes.CDLL("libturbojpeg.so.0").tjInitTransform
ctypes.CDLL("libjxl.so.0.11").JxlEncoderAddJPEGFrame
PIL.Image.open(io.BytesIO(picture.pngsave_buffer())).load()
"""
RECEIVE_BYTES = 65_536
BUFFERED_BYTES = 7 * 2**20
"""More than sockets and nginx hold between the gateway and a client that reads nothing."""
REPLACED_SECONDS = 15.0
"""A moment, on a machine that runs all other tests as well."""
IIPSRV_PROCESSES = """
for folder in /proc/[0-9]*; do
    read -r stat 2>/dev/null <$folder/stat || continue
    case $stat in *"(iipsrv.fcgi)"*) echo "${stat%% *} ${stat##*) }" ;; esac
done"""


def get(address: str) -> requests.Response:
    answer = requests.get(address, timeout=60)
    assert answer.status_code == 200, answer.text[:300]
    return answer


def region(origin: Origin, width: int, kind: str) -> str:
    box = ",".join(map(str, BOX))
    return origin.url(f"/iiif/3/{RAMP}/{box}/{width},/0/default.{kind}")


def pixels(body: bytes, kind: str) -> NDArray[np.int_]:
    picture = Image.open(io.BytesIO(body))
    assert picture.format == kind
    return np.asarray(picture.convert("RGB")).astype(int)


def iipsrv_processes(origin: Origin) -> dict[int, float]:
    """Process number in the container -> its start, in seconds since the machine's."""
    lines = origin.task.inside("iipsrv", IIPSRV_PROCESSES).stdout.splitlines()
    fields = [line.split() for line in lines]
    return {int(item[0]): int(item[20]) / 100 for item in fields}


def seconds_since_boot(origin: Origin) -> float:
    return float(origin.task.inside("iipsrv", "cat /proc/uptime").stdout.split()[0])


def wait_until(promise: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not promise():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def refuses(origin: Origin) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", origin.port)) != 0


@pytest.mark.parametrize("name", CONTAINERS)
def test_a_container_is_a_user_without_rights_who_writes_to_the_volume_only(
    origin: Origin, name: str
) -> None:
    inside = origin.task.inside
    assert inside(name, "id -u; id -g").stdout.split() == ["10001", "10001"]
    # Not CapEff, which is 0 for any user but root: what a setuid program could still gain.
    assert int(inside(name, "grep CapBnd /proc/self/status").stdout.split()[1], 16) == 0
    for place in ("", "/tmp", "/srv/vitrine", "/run", "/var/tmp"):
        assert "Read-only file system" in inside(name, f"touch {place}/probe").stderr, place
    assert inside(name, "touch /var/vitrine/probe && rm /var/vitrine/probe").returncode == 0


@pytest.mark.parametrize("name", CONTAINERS)
def test_no_program_of_an_image_runs_as_another_user(origin: Origin, name: str) -> None:
    found = origin.task.inside(name, "find / -xdev -type f -perm /6000; echo searched")
    assert found.stdout.split() == ["searched"]


@pytest.mark.parametrize("name", CONTAINERS)
def test_a_health_check_passes_and_fails_where_nobody_answers(origin: Origin, name: str) -> None:
    assert origin.task.healthy(name)
    elsewhere = "VITRINE_WORK_DIRECTORY=/srv VITRINE_ORIGIN_PORT=1"
    done = origin.task.inside(name, f"{elsewhere} containers/{name}/healthy")
    assert done.returncode != 0
    said = {"gateway": "no process answers", "photos": "nothing answers"}
    assert said.get(name, "no connection") in done.stderr


def test_it_is_alive_and_ready(origin: Origin) -> None:
    assert get(origin.url("/healthz")).json()["status"] == 200
    assert set(get(origin.url("/readyz")).json()["checks"].values()) == {"ok"}


def test_the_licence_and_the_patches_of_iipsrv_are_in_its_image(origin: Origin) -> None:
    listed = origin.task.inside("iipsrv", "ls -R /usr/share/doc/vitrine-iipsrv").stdout.split()
    assert {"COPYING", "iipsrv.spdx.json", "0001-exact-regions.patch"} <= set(listed)


def test_it_describes_an_image(origin: Origin) -> None:
    info = get(origin.url(f"/iiif/3/{RAMP}/info.json")).json()
    assert (info["width"], info["height"]) == RAMP_SIZE
    assert info["id"] == f"https://127.0.0.1/iiif/3/{RAMP}"


def test_the_photo_door_gives_a_photograph_its_thumbnail(origin: Origin, service: Any) -> None:
    status, _, form = open_api(service).call("POST", "/photo-forms", {"subject": "containers"})
    assert status == 201, form
    address = origin.url("/photos?store=no&thumbnails=medium")
    bearer = {"Authorization": f"Bearer {form['token']}", "Content-Type": "image/jpeg"}
    answer = requests.post(address, photograph(1_200, 800), headers=bearer, timeout=60)
    assert answer.status_code == 200, answer.text[:300]
    thumbnail = Image.open(io.BytesIO(answer.content[answer.content.index(b"\xff\xd8\xff") :]))
    assert thumbnail.size == (500, 333)
    refused = requests.post(address, photograph(), timeout=60)
    assert (refused.status_code, refused.json()["type"]) == (401, "/problems/form-missing")


def test_it_serves_a_tile(origin: Origin) -> None:
    tile = get(origin.url(f"/iiif/3/{RAMP}/256,512,256,256/256,256/0/default.jpg"))
    assert_ramp(pixels(tile.content, "JPEG"), (256, 512, 256, 256))


def test_it_serves_an_edge_tile_and_a_thumbnail(origin: Origin) -> None:
    corner = get(origin.url(f"/iiif/3/{RAMP}/1024,768,276,232/276,232/0/default.jpg"))
    assert_ramp(pixels(corner.content, "JPEG"), (1024, 768, 276, 232))
    thumbnail = get(origin.url(f"/iiif/3/{RAMP}/full/!128,128/0/default.jpg"))
    assert_ramp(pixels(thumbnail.content, "JPEG"), (0, 0, *RAMP_SIZE))


def test_it_renders_a_region(origin: Origin) -> None:
    assert_ramp(pixels(get(region(origin, 350, "jpg")).content, "JPEG"), BOX)


def test_the_gateway_has_what_it_renders_with_and_nothing_to_install_more(origin: Origin) -> None:
    done = origin.task.inside("gateway", f"python3 -c '{LIBRARIES}'")
    assert done.returncode == 0, done.stderr
    assert origin.task.inside("gateway", "python3 -m pip").returncode != 0
    assert "No such file" in origin.task.inside("gateway", "ls /opt/gateway/bin/pip").stderr


def test_libvips_renders_a_png_and_iipsrv_a_jpeg_once_it_can(origin: Origin) -> None:
    numbers = " ".join(map(str, iipsrv_processes(origin)))
    found: list[requests.Response] = []
    asking = threading.Thread(target=lambda: found.append(get(region(origin, 351, "jpg"))))
    origin.task.inside("iipsrv", f"kill -STOP {numbers}")
    try:
        asking.start()
        png = get(region(origin, 349, "png"))
        assert not found
    finally:
        origin.task.inside("iipsrv", f"kill -CONT {numbers}")
        asking.join(60)
    assert_ramp(pixels(png.content, "PNG"), BOX)
    assert_ramp(pixels(found[0].content, "JPEG"), BOX)


def test_a_killed_iipsrv_is_replaced_at_once(origin: Origin) -> None:
    before = iipsrv_processes(origin)
    killed_at = seconds_since_boot(origin)
    origin.task.inside("iipsrv", f"kill -9 {min(before)}")
    wait_until(lambda: len(iipsrv_processes(origin).keys() - before.keys()) == 1)
    after = iipsrv_processes(origin)
    assert len(after) == len(before)
    (started_at,) = [after[number] for number in after.keys() - before.keys()]
    assert started_at - killed_at < REPLACED_SECONDS
    jpeg = get(region(origin, 347, "jpg"))
    assert_ramp(pixels(jpeg.content, "JPEG"), BOX)


def test_after_sigterm_a_request_under_way_is_finished_and_all_end_in_time_with_code_0(
    start: Callable[..., Origin],
) -> None:
    origin = start(VITRINE_DRAIN_SECONDS="1")
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BYTES)
        slow.settimeout(60)
        slow.connect(("127.0.0.1", origin.port))
        client = http.client.HTTPConnection("127.0.0.1", origin.port)
        client.sock = slow
        client.request("GET", f"/iiif/3/{NOISE}/full/max/0/default.jpg")
        answer = client.getresponse()
        start_of_body = answer.read(RECEIVE_BYTES)
        # ECS waits for nginx before it stops the gateway; a request outlives even this.
        origin.task.signal("nginx")
        origin.task.signal("gateway")
        wait_until(lambda: refuses(origin))
        body = start_of_body + answer.read()
    assert len(body) > BUFFERED_BYTES
    assert pixels(body, "JPEG").shape == (*reversed(NOISE_SIZE), 3)
    assert [origin.task.wait("nginx"), origin.task.wait("gateway")] == [0, 0]
    origin.task.signal("iipsrv")
    assert origin.task.wait("iipsrv") == 0
