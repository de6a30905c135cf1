"""What the task's nginx refuses itself, it refuses in the words of the table of problems."""

import json
import re

import pytest

from tests.integration.photos.door_client import DoorClient, read_answer
from tests.unit.photos.photo_bench import photograph
from vitrine.api.problems import KINDS
from vitrine.bootstrap.local_service import REPOSITORY

TEMPLATE = REPOSITORY / "containers/nginx/nginx.conf.template"
REFUSAL = re.compile(r"""^ +\d{3} '("type":"/problems/.*")';$""", re.MULTILINE)


def test_a_body_without_a_length_is_refused_before_it_comes(door: DoorClient) -> None:
    with door.connection() as sending:
        sending.sendall(door.head("Transfer-Encoding: chunked"))
        sending.sendall(b"3\r\n\xff\xd8\xff\r\n")
        answer = read_answer(sending)
    assert answer.problem == (411, "photo-length-missing")


def test_a_body_in_chunks_is_refused_when_it_has_come_as_well(door: DoorClient) -> None:
    photo = photograph()
    with door.connection() as sending:
        chunk = f"{len(photo):x}\r\n".encode() + photo + b"\r\n0\r\n\r\n"
        sending.sendall(door.head("Transfer-Encoding: chunked") + chunk)
        assert read_answer(sending).problem == (411, "photo-length-missing")


def test_a_body_that_is_too_large_is_refused_before_it_comes(door: DoorClient) -> None:
    with door.connection() as sending:
        sending.sendall(door.head(f"Content-Length: {1 << 40}"))
        assert read_answer(sending).problem == (413, "photo-too-large")


@pytest.mark.parametrize("text", REFUSAL.findall(TEMPLATE.read_text()))
def test_a_refusal_says_what_the_table_says(text: str) -> None:
    said = json.loads(f"{{{text}}}")
    kind = KINDS[said["type"].removeprefix("/problems/")]
    if said["type"] != "/problems/method-not-allowed":  # which is about one address here
        assert (said["title"], said["advice"]) == (kind.title, kind.advice)
