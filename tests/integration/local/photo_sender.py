"""Somebody who sends photographs to the photo door of a one-machine service."""

import json
import re
import subprocess
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from email.message import Message
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.integration.local.api_client import Api
from tests.unit.photos.photo_bench import form_data, photograph
from vitrine.bootstrap.local_service import REPOSITORY

if TYPE_CHECKING:
    from conftest import Service

PAGE = REPOSITORY / "docs/howto/photo-door.md"
SAMPLE = Path(".build/samples/wallpapers/scans/dune.jpg")
COMMANDS = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
INGEST_SECONDS = 300


def send(
    door: "Service", body: bytes, method: str = "POST", **headers: str
) -> tuple[int, Message, Any]:
    """Send a body; return status, headers and JSON of the answer. Header names have `_` for `-`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    address = f"{door.addresses.edge_url}/photos"
    request = urllib.request.Request(address, data=body, headers=named, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.headers, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, json.loads(error.read())


def wait_for(address: str) -> dict[str, Any]:
    """Return the JSON at an address that is answered by 404 until an ingest has ended."""
    return dict(json.loads(wait_for_body(address)))


def wait_for_body(address: str) -> bytes:
    """Return what is at an address that is answered by 404 until an ingest has ended."""
    deadline = time.monotonic() + INGEST_SECONDS
    while True:
        try:
            with urllib.request.urlopen(address, timeout=60) as answer:
                body: bytes = answer.read()
                return body
        except urllib.error.HTTPError as error:
            error.close()
            if error.code != 404 or time.monotonic() > deadline:
                raise
            time.sleep(0.5)


def send_upload(door: "Service", api: Api, photo: bytes) -> tuple[int, Any]:
    """Upload a photograph where the API says, and name it to the door; return its answer."""
    upload = {"bytes": len(photo), "content_type": "image/jpeg"}
    status, _, form = api.call("POST", "/photo-forms", {"upload": upload})
    assert status == 201, form
    place = form["upload"]
    put = urllib.request.Request(
        place["address"], data=photo, headers=place["headers"], method="PUT"
    )
    with urllib.request.urlopen(put, timeout=60) as answer:
        assert answer.status == 200
    status, _, document = send(
        door,
        json.dumps({"upload": form["key"]}).encode(),
        content_type="application/json",
        accept="application/json",
        authorization=f"Bearer {form['token']}",
    )
    return status, document


def check_refusals(door: "Service", token: str, too_large: bytes) -> None:
    """Send what is no photograph, what has no form, and what is too large; and ask by GET."""
    bearer = f"Bearer {token}"
    for body, headers, expected in (
        (b"no photograph", {"authorization": bearer}, (415, "photo-not-an-image")),
        (photograph(), {}, (401, "form-missing")),
        (too_large, {"authorization": bearer}, (413, "photo-too-large")),
    ):
        status, answered, problem = send(door, body, **headers)
        assert (status, problem["type"]) == (expected[0], f"/problems/{expected[1]}")
        assert answered["content-type"] == "application/problem+json"
        # Once, and by the edge: a browser takes no answer that says it twice.
        assert answered.get_all("access-control-allow-origin") == ["*"]
        assert problem["advice"]
    status, _, problem = send(door, b"", method="GET")
    assert (status, problem["type"]) == (405, "/problems/method-not-allowed")


def check_same_bytes_at_once(door: "Service", token: str) -> None:
    """Send one photograph four times at the same moment: it is one master, made once."""
    body, content_type = form_data({"token": token, "thumbnails": "small"}, photograph(640, 427))
    named = {"content_type": content_type, "accept": "application/json"}
    with ThreadPoolExecutor(4) as threads:
        sent = [threads.submit(send, door, body, **named) for _ in range(4)]
        answers = [one.result() for one in sent]
    assert sorted(status for status, _, _ in answers) == [200, 200, 200, 201]
    assert len({answer["image"]["identifier"] for _, _, answer in answers}) == 1


def follow_page(door: "Service", tmp_path: Path) -> None:
    """Type the commands of the page as they stand, but for the port."""
    script = "\n".join(COMMANDS.findall(PAGE.read_text()))
    (tmp_path / ".venv").symlink_to(REPOSITORY / ".venv")
    # Any of the photographs that `make up` brings.
    photo = tmp_path / SAMPLE
    photo.parent.mkdir(parents=True)
    photo.write_bytes(photograph(900, 600))
    done = subprocess.run(
        [
            "bash",
            "-euo",
            "pipefail",
            "-c",
            script.replace("http://127.0.0.1:8080", door.addresses.edge_url),
        ],
        cwd=tmp_path,
        env=door.environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"Make": "Vitrine"' in done.stdout
    assert re.search(r"^application/json +\d+$", done.stdout, re.MULTILINE)
    assert re.search(r"^image/jpeg medium.jpg \d+$", done.stdout, re.MULTILINE)
