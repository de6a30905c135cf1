"""A photograph through the edge, the task's nginx and the door's own processes to its image."""

import hashlib
import http.client
import io
import json
import socket
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

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
from tests.unit.edge.edge_bench import Upstream, run_edge
from tests.unit.photos.photo_bench import form_data, photograph, with_segment
from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.stack_outputs import stack_outputs
from vitrine.edge.policies import PHOTOS_PATTERN
from vitrine.local.edge.listener import read_listener

if TYPE_CHECKING:
    from conftest import Service


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Service"]:
    """A service of its own with a photo door."""
    with run_service(tmp_path_factory.mktemp("door"), "--photos") as running:
        yield running


def test_a_form_of_a_page_leads_to_thumbnails_and_a_zoomable_image(
    door: "Service", token: str
) -> None:
    photo = photograph(1_200, 800, orientation=6)
    body, content_type = form_data({"token": token, "thumbnails": "small,medium"}, photo)
    status, headers, answer = send(door, body, content_type=content_type, accept="application/json")
    assert (status, headers["access-control-allow-origin"]) == (201, "*")
    assert answer["exif"]["Make"] == "Vitrine"
    assert "GPSInfo" not in answer["exif"]
    sizes = {}
    for one in answer["thumbnails"]:
        with urllib.request.urlopen(one["address"], timeout=60) as fetched:
            sizes[one["name"]] = Image.open(io.BytesIO(fetched.read())).size
    assert sizes == {"small": (150, 150), "medium": (333, 500)}
    info = wait_for(answer["image"]["info"])
    assert (info["width"], info["height"]) == (800, 1_200)
    again, _, _ = send(door, body, content_type=content_type, accept="application/json")
    assert again == 200


def test_what_was_uploaded_first_becomes_an_image_as_well(door: "Service", api: Api) -> None:
    photo = photograph(1_000, 700)
    status, answer = send_upload(door, api, photo)
    assert status == 200, answer
    assert answer["sha256"] == hashlib.sha256(photo).hexdigest()
    assert [one["name"] for one in answer["thumbnails"]] == ["small", "medium", "large"]
    assert wait_for(answer["image"]["info"])["width"] == 1_000


def test_the_same_bytes_at_the_same_moment_are_one_master(door: "Service", token: str) -> None:
    check_same_bytes_at_once(door, token)


def test_what_is_refused_says_so_in_one_form(door: "Service", token: str) -> None:
    check_refusals(door, token, bytes(40 << 20))


def _stored(door: "Service") -> set[str]:
    """Return the keys of all masters that came through the door."""
    place = door.addresses
    cloud = AwsAccess(place.emulator_url, place.region, dummy_credentials=True)
    outputs = stack_outputs(cloud.client("cloudformation"), "vitrine-dev-store")
    found = cloud.client("s3").list_objects_v2(Bucket=outputs["MastersBucketName"])
    return {one["Key"] for one in found.get("Contents", ())}


def _swollen(photo: bytes) -> bytes:
    """Return the photograph with ten megabytes in application segments."""
    for _ in range(160):
        photo = with_segment(photo, 0xE1, b"Exif\0\0" + bytes(65_000))
    return photo


def _archive(photo: bytes) -> bytes:
    """Return the photograph with a ZIP behind it."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("a.txt", "a")
    return photo + file.getvalue()


def test_bad_input_is_refused_over_the_wire_and_nothing_of_it_is_stored(
    door: "Service", token: str
) -> None:
    photo = photograph(310, 210)
    parts = {f"a{number}": "b" for number in range(10_000)}
    many, many_type = form_data(parts, photo)
    before = _stored(door)
    for body, media_type, expected in (
        (_swollen(photo), "image/jpeg", (422, "photo-metadata-too-large")),
        (many, many_type, (400, "photo-body-invalid")),
        (_archive(photo), "image/jpeg", (422, "photo-ambiguous")),
        (photo, "image/png", (415, "photo-mislabelled")),
        (photo[:-900], "image/jpeg", (422, "photo-damaged")),
    ):
        named = {"authorization": f"Bearer {token}", "content_type": media_type}
        status, answered, problem = send(door, body, **named)
        assert (status, problem["type"]) == (expected[0], f"/problems/{expected[1]}")
        assert answered["content-type"] == "application/problem+json"
        assert (problem["title"], problem["advice"]) != ("", "")
    assert _stored(door) == before


@pytest.mark.slow
def test_a_sender_who_stops_is_answered_and_keeps_no_process_waiting(
    door: "Service", token: str
) -> None:
    place = urlsplit(door.addresses.edge_url)
    with socket.create_connection((str(place.hostname), place.port), timeout=60) as slow:
        head = f"POST /photos HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n"
        slow.sendall(f"{head}Content-Length: 1000\r\n\r\n".encode() + b"\xff\xd8\xff")
        status, _, _ = send(
            door, photograph(), authorization=f"Bearer {token}", accept="application/json"
        )
        assert status in (200, 201)
        answer = http.client.HTTPResponse(slow, method="POST")
        answer.begin()
        assert (answer.status, answer.headers["content-type"]) == (408, "application/problem+json")
        assert json.loads(answer.read())["type"] == "/problems/photo-too-slow"


def test_a_door_that_no_rule_of_the_listener_names_is_not_reached(
    door: "Service", tmp_path: Path
) -> None:
    """As on AWS, where the balancer answers in its place; other edges read the changed rule."""
    place = door.addresses
    cloud = AwsAccess(place.emulator_url, place.region, dummy_credentials=True)
    outputs = stack_outputs(cloud.client("cloudformation"), "vitrine-dev-deliver")
    balancing, arn = cloud.client("elbv2"), outputs["ListenerArn"]
    rules = balancing.describe_rules(ListenerArn=arn)["Rules"]
    [rule] = [one for one in rules if not one["IsDefault"]]
    deployed = rule["Conditions"][0]["PathPatternConfig"]["Values"]
    without = [one for one in deployed if one != PHOTOS_PATTERN]
    origin, emulator = (
        Upstream(port=urlsplit(url).port or 0) for url in (place.origin_url, place.emulator_url)
    )
    for patterns, expected in ((without, 404), (deployed, 401)):
        condition = {"Field": "path-pattern", "PathPatternConfig": {"Values": patterns}}
        balancing.modify_rule(RuleArn=rule["RuleArn"], Conditions=[condition])
        listener = read_listener(balancing, arn)
        folder = tmp_path / str(expected)
        with run_edge(folder, origin, emulator, listener=listener, photo_door=True) as edge:
            status, headers, _ = edge.ask("/photos", "POST", content_length="0")
            assert status == expected
            assert ("text/html" in headers["content-type"]) is (expected == 404)


def test_photographs_and_tokens_are_not_logged(door: "Service", token: str) -> None:
    log = (Path(door.addresses.logs) / "photos.log").read_bytes()
    assert b"photograph 201" in log
    assert token.encode() not in log
    assert b"JFIF" not in log
    assert len(log) < 1 << 20


def test_the_page_leads_from_a_photograph_to_its_thumbnails(
    door: "Service", tmp_path: Path
) -> None:
    follow_page(door, tmp_path)
