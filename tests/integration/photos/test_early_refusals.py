"""Who may not send is answered before the photograph comes, and gets the answer in any case."""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.integration.photos.door_client import Answered, DoorClient, read_answer
from tests.unit.photos.photo_bench import form_data, photograph
from vitrine.photos.uploads import IDLE_SECONDS

LARGE = 20 << 20
MISSING, INVALID = (401, "form-missing"), (401, "form-invalid")


def head(
    door: DoorClient, token: str, length: int = LARGE, media_type: str = "image/jpeg"
) -> bytes:
    lines = (f"Content-Length: {length}", f"Content-Type: {media_type}")
    return door.head(*lines, token=token)


@pytest.mark.parametrize(("token", "expected"), [("", MISSING), ("not.a.form", INVALID)])
def test_without_a_form_nothing_of_the_photograph_is_waited_for(
    door: DoorClient, token: str, expected: tuple[int, str]
) -> None:
    with door.connection() as sending:
        sending.sendall(head(door, token))
        assert read_answer(sending).problem == expected


def test_who_sends_all_before_reading_gets_the_answer_as_well(door: DoorClient) -> None:
    photo = bytes(LARGE)
    with door.connection() as sending:
        sending.sendall(head(door, "not.a.form") + photo)
        assert read_answer(sending).problem == INVALID


def test_who_sends_slowly_gets_the_answer_at_once(door: DoorClient) -> None:
    with door.connection() as sending:
        sending.sendall(head(door, "not.a.form"))
        for _ in range(20):
            sending.sendall(b"x")
            time.sleep(0.01)
        assert read_answer(sending).problem == INVALID


@pytest.mark.slow
def test_a_byte_now_and_then_is_answered_in_the_words_of_the_door(door: DoorClient) -> None:
    with door.connection() as sending:
        sending.sendall(head(door, door.token, 1_000))
        began = time.monotonic()
        with suppress(OSError):
            while time.monotonic() - began < IDLE_SECONDS + 1:
                sending.sendall(b"x")
                time.sleep(0.1)
        assert read_answer(sending).problem == (408, "photo-too-slow")


def test_a_form_of_a_page_is_judged_when_its_photograph_begins(door: DoorClient) -> None:
    for fields, expected in (({"token": "not.a.form"}, INVALID), ({}, MISSING)):
        body, media_type = form_data(fields, bytes(LARGE))
        with door.connection() as sending:
            sending.sendall(head(door, "", len(body), media_type) + body[:9_000])
            assert read_answer(sending).problem == expected


def test_a_photograph_larger_than_its_form_allows_is_not_waited_for(
    door: DoorClient, sign: Callable[..., str]
) -> None:
    with door.connection() as sending:
        sending.sendall(head(door, sign(most_bytes=1 << 20)))
        assert read_answer(sending).problem == (413, "photo-too-large")


def test_the_door_keeps_no_file_of_what_it_refused(door: DoorClient) -> None:
    for number in range(5):
        with door.connection() as sending:
            sending.sendall(head(door, "not.a.form" if number % 2 else "") + bytes(100_000))
            read_answer(sending)
    assert photograph_answered(door).status == 200
    assert files_of(door) == []


def photograph_answered(door: DoorClient) -> Answered:
    return door.send(photograph(), "Content-Type: image/jpeg")


def files_of(door: DoorClient) -> list[str]:
    """Return the temporary files that the processes have open or mapped."""
    folder = str(door.rig.work / "tmp")
    found = []
    for pid in door.rig.process_ids():
        opened = list[str]()
        for one in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(FileNotFoundError):  # closed since it was listed
                opened.append(str(one.readlink()))
        mapped = Path(f"/proc/{pid}/maps").read_text().splitlines()
        found += [one for one in (*opened, *mapped) if folder in one]
    return found
