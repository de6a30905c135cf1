"""Whole images at full resolution through the whole image task, over a store of our own."""

import hashlib
import io
import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvips
import requests
from PIL import Image, ImageFile

from rigs.object_server.response_faults import Fault, ResponseFault
from tests.integration.deliver.deliver_pictures import write_pyramid
from tests.integration.deliver.recognised_pictures import grainy_colour
from tests.integration.deliver.stored_rig import StoredRig, stored_rig
from tests.patience import SECONDS, until
from vitrine.deliver.download.strips import strip_height
from vitrine.deliver.metrics.prometheus import parse_samples
from vitrine.records import Live

WIDTH, HEIGHT = 4_100, 3_900
"""Beyond what is rendered here; four strips, and more bytes than wait on their way."""


@pytest.fixture(scope="module")
def rig() -> Iterator[StoredRig]:
    with stored_rig(
        VITRINE_DOWNLOADS_AT_ONCE="1",
        VITRINE_MAXIMUM_OUTPUT_PIXELS="10000000",
        VITRINE_GATEWAY_PROCESSES="1",
        VITRINE_ACCESS_MASTER_TTL_SECONDS="1",
    ) as running:
        yield running


@pytest.fixture(scope="module")
def image(rig: StoredRig, red: Path) -> Live:
    return rig.publish(red, "Große Ansicht")


def path_of(identifier: str) -> str:
    return f"/iiif/3/{requests.utils.quote(identifier, safe='')}/download.jpg"


def address(rig: StoredRig, image: Live) -> str:
    return rig.rig.url + path_of(image.identifier)


def sample(rig: StoredRig, name: str) -> float:
    answer = requests.get(f"{rig.rig.url}/metrics", timeout=SECONDS)
    assert answer.status_code == 200
    return parse_samples(answer.text).get(name, 0.0)


class SlowClient:
    """Reads when the test does, from a small window: what is not read waits at the server."""

    def __init__(self, rig: StoredRig, path: str) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 << 10)
        self._socket.settimeout(SECONDS)
        self._socket.connect(("127.0.0.1", rig.rig.port))
        self._socket.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        self.head = b""
        while b"\r\n\r\n" not in self.head:
            self.head += self._socket.recv(1)

    def read_rest(self) -> bytes:
        """All that comes until the end of the answer, or of the connection."""
        parts = []
        while part := self._socket.recv(1 << 20):
            parts.append(part)
            if part.endswith(b"0\r\n\r\n"):
                break
        return b"".join(parts)

    def close(self) -> None:
        self._socket.close()


@contextmanager
def slow_client(rig: StoredRig, path: str) -> Iterator[SlowClient]:
    client = SlowClient(rig, path)
    try:
        yield client
    finally:
        client.close()


def stored_pixels(path: Path) -> Any:
    """The tiles of the first level as libtiff decodes them."""
    return pyvips.Image.new_from_file(str(path), page=0).numpy()


def test_a_download_is_the_stored_picture_whole(rig: StoredRig, image: Live, red: Path) -> None:
    answer = requests.get(address(rig, image), timeout=SECONDS)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "image/jpeg"
    assert answer.headers["transfer-encoding"] == "chunked"
    by_libvips = pyvips.Image.new_from_buffer(answer.content, "", fail_on="warning").numpy()
    Image.MAX_IMAGE_PIXELS = None
    by_pillow = np.asarray(Image.open(io.BytesIO(answer.content)))
    assert by_pillow.shape == (HEIGHT, WIDTH, 3)
    assert np.array_equal(by_libvips, by_pillow)
    assert np.array_equal(by_libvips, stored_pixels(red))
    again = requests.get(address(rig, image), timeout=SECONDS)
    assert hashlib.sha256(again.content).digest() == hashlib.sha256(answer.content).digest()


def test_a_download_is_saved_under_the_image_s_name(rig: StoredRig, image: Live) -> None:
    head = requests.head(address(rig, image), timeout=SECONDS)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-disposition"] == (
        "attachment; filename=\"Gro_e Ansicht.jpg\"; filename*=UTF-8''Gro%C3%9Fe%20Ansicht.jpg"
    )
    assert f'{path_of(image.identifier)}>;rel="canonical"' in head.headers["link"]
    known = {"If-None-Match": head.headers["etag"]}
    assert requests.get(address(rig, image), headers=known, timeout=SECONDS).status_code == 304


def test_the_address_without_a_version_leads_there(rig: StoredRig, image: Live) -> None:
    for root in ("/iiif/", "/iiif/2/"):
        path = path_of(image.identifier).replace("/iiif/3/", root)
        answer = requests.get(rig.rig.url + path, allow_redirects=False, timeout=SECONDS)
        assert answer.status_code == 301
        assert answer.headers["location"] == path_of(image.identifier)


def test_a_slow_client_has_one_slot_and_frees_it_when_it_goes(rig: StoredRig, image: Live) -> None:
    before = sample(rig, 'vitrine_downloads_total{result="abandoned"}')
    with slow_client(rig, path_of(image.identifier)) as client:
        assert client.head.startswith(b"HTTP/1.1 200 ")
        assert sample(rig, "vitrine_downloads_running") == 1
        refused = requests.get(address(rig, image), timeout=SECONDS)
        assert refused.status_code == 503
        assert int(refused.headers["retry-after"]) == 60
        assert "whole images" in refused.json()["reason"]
        base = address(rig, image).removesuffix("download.jpg")
        tile = f"{base}0,0,256,256/256,256/0/default.jpg"
        assert requests.get(tile, timeout=SECONDS).status_code == 200
    until(lambda: sample(rig, "vitrine_downloads_running") == 0)
    assert sample(rig, 'vitrine_downloads_total{result="abandoned"}') == before + 1
    assert requests.head(address(rig, image), timeout=SECONDS).status_code == 200


def test_a_pyramid_swapped_while_it_is_sent_cuts_the_download_off(
    rig: StoredRig, red: Path, blue: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = rig.publish(red, "swapped")
    with slow_client(rig, path_of("swapped")) as client:
        rig.replace_object(blue, image.access_master_key)
        time.sleep(1.5)  # longer than the gateway trusts its copy
        tile = "/iiif/3/swapped/0,0,256,256/256,256/0/default.jpg"
        until(lambda: _is_blue(requests.get(rig.rig.url + tile, timeout=SECONDS).content))
        rest = client.read_rest()
    assert not rest.endswith(b"0\r\n\r\n"), "it was sent to its end"
    part = b"".join(re.split(rb"(?:^|\r\n)[0-9a-f]+\r\n", rest))
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    seen = np.asarray(Image.open(io.BytesIO(part))).astype(int)
    assert (seen[: HEIGHT // 8, :, 0] > seen[: HEIGHT // 8, :, 2]).mean() > 0.99
    assert not (seen[..., 2] > seen[..., 0] + 60).any(), "there is blue in it"
    until(lambda: sample(rig, "vitrine_downloads_running") == 0)
    assert "was cut off" in rig.rig.log("gateway")
    answer = requests.get(rig.rig.url + path_of("swapped"), timeout=SECONDS)
    assert _is_blue(answer.content)


def _is_blue(body: bytes) -> bool:
    red, _, blue = pyvips.Image.new_from_buffer(body, "").numpy().reshape(-1, 3).mean(axis=0)
    return bool(blue > red)


def test_tiles_that_no_jpeg_can_be_joined_of_are_refused_with_the_reason(
    rig: StoredRig, tmp_path: Path
) -> None:
    path = tmp_path / "rgb.tif"
    picture = grainy_colour(700, 600, (90, 200, 30))
    # libvips stores RGB in JPEG tiles from quality 90 on.
    write_pyramid(picture, path)
    rig.publish(path, "rgb")
    answer = requests.get(rig.rig.url + path_of("rgb"), timeout=SECONDS)
    assert answer.status_code == 400
    assert "cannot be joined to one JPEG" in answer.json()["reason"]
    assert sample(rig, "vitrine_downloads_running") == 0


def test_a_store_that_keeps_silent_ends_a_download_by_the_gateway_before_nginx_gives_up(
    red: Path,
) -> None:
    with stored_rig(
        VITRINE_DOWNLOADS_AT_ONCE="1",
        VITRINE_MAXIMUM_OUTPUT_PIXELS="10000000",
        VITRINE_GATEWAY_PROCESSES="1",
        VITRINE_ANSWER_SECONDS="5",
    ) as silent:
        image = silent.publish(red, "silent")
        # A busy machine may not manage the first answer in these seconds: it has the first strip.
        strip = f"/iiif/3/silent/0,0,{WIDTH},{strip_height(image)}/max/0/default.jpg"
        get = partial(requests.get, silent.rig.url + strip, timeout=SECONDS)
        until(lambda: get().status_code == 200)
        with slow_client(silent, path_of(image.identifier)) as client:
            assert client.head.startswith(b"HTTP/1.1 200 ")
            silent.server.fail(Fault(kind=ResponseFault.SILENT, key="*.tif", seconds=60))
            rest = client.read_rest()
        assert not rest.endswith(b"0\r\n\r\n"), "it was sent to its end"
        until(lambda: sample(silent, 'vitrine_downloads_total{result="failed"}') == 1)
        # If nginx hung up, that would look as if the client had left.
        assert sample(silent, 'vitrine_downloads_total{result="abandoned"}') == 0
        assert "was cut off" in silent.rig.log("gateway")
        assert "upstream timed out" not in silent.rig.log("nginx")
