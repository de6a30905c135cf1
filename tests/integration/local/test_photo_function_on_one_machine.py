"""The photo door as a Lambda behind the edge, where a Lambda serves the images too."""

import email
import io
import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from tests.conftest import run_service
from tests.integration.local.api_client import Api
from tests.integration.local.photo_sender import (
    check_refusals,
    check_same_bytes_at_once,
    follow_page,
    send,
    send_upload,
    wait_for,
)
from tests.unit.photos.photo_bench import form_data, photograph

if TYPE_CHECKING:
    from conftest import Service

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Service"]:
    """A service without image tasks, and with a photo door."""
    folder = tmp_path_factory.mktemp("function")
    with run_service(folder, "--photos", "--flavour", "serverless") as running:
        yield running


def test_a_form_of_a_page_leads_to_thumbnails_and_a_zoomable_image(
    door: "Service", token: str
) -> None:
    body, content_type = form_data({"token": token}, photograph(1_200, 800, orientation=6))
    status, headers, answer = send(door, body, content_type=content_type, accept="application/json")
    assert (status, headers["access-control-allow-origin"]) == (201, "*")
    assert answer["image"]["address"].startswith(door.addresses.edge_url)
    with urllib.request.urlopen(answer["thumbnails"][0]["address"], timeout=60) as fetched:
        assert Image.open(io.BytesIO(fetched.read())).size == (150, 150)
    info = wait_for(answer["image"]["info"])
    assert (info["width"], info["height"]) == (800, 1_200)


def test_thumbnails_come_in_the_answer_unless_addresses_are_requested(
    door: "Service", token: str
) -> None:
    request = urllib.request.Request(
        f"{door.addresses.edge_url}/photos?thumbnails=small&store=no",
        data=photograph(700, 500),
        headers={"authorization": f"Bearer {token}", "content-type": "image/jpeg"},
        method="POST",
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        head = f"Content-Type: {answer.headers['content-type']}\r\n\r\n".encode()
        parts = email.message_from_bytes(head + answer.read()).get_payload()
    document, thumbnail = (part.get_payload(decode=True) for part in parts)
    assert (json.loads(document)["width"], "image" in json.loads(document)) == (700, False)
    assert Image.open(io.BytesIO(thumbnail)).size == (150, 150)


def test_what_no_request_to_a_lambda_can_hold_is_uploaded_first(
    door: "Service", api: Api, token: str
) -> None:
    large = photograph(900, 600) + os.urandom(5 << 20)
    status, headers, problem = send(door, large, authorization=f"Bearer {token}")
    assert (status, problem["type"]) == (413, "/problems/photo-too-large")
    assert headers["content-type"] == "application/problem+json"
    assert headers["access-control-allow-origin"] == "*"
    assert "upload" in problem["advice"]
    assert "4 MiB" in problem["detail"]
    status, answer = send_upload(door, api, large)
    assert status == 200, answer
    assert wait_for(answer["image"]["info"])["width"] == 900


def test_the_same_bytes_at_the_same_moment_are_one_master(door: "Service", token: str) -> None:
    check_same_bytes_at_once(door, token)


def test_what_is_refused_says_so_in_one_form(door: "Service", token: str) -> None:
    check_refusals(door, token, bytes((4 << 20) + 900))


def test_the_page_leads_from_a_photograph_to_its_thumbnails(
    door: "Service", tmp_path: Path
) -> None:
    follow_page(door, tmp_path)
