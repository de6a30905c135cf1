"""What arrives is cut where no reader of it takes offence, and is let go with its answer."""

import gc
import io
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from tests.unit.photos.photo_bench import PhotoBench, form_data, photograph
from vitrine.api.http import ApiRequest
from vitrine.api.photo_forms import Form
from vitrine.api.problems import Problem
from vitrine.photos import uploads
from vitrine.photos.application import answer
from vitrine.photos.bodies import Permit, Submission
from vitrine.photos.uploads import Body, receive_submission

FIRST, CUT = 8 << 10, 256 << 10
"""Bytes that are read at a time, at first and later."""
FORM = Form(subject="anybody", expires=0, photos_per_hour=10, most_bytes=10 * CUT)


def receive(body: bytes, headers: dict[str, str], permit: Permit) -> Submission:
    """Receive a body as the server gives it."""
    request = ApiRequest(method="POST", path="/photos", headers=headers, caller="anybody")
    environ = {"CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body)}
    return receive_submission(Body(environ), request, permit)


@pytest.mark.parametrize("beyond", range(-3, 6))
@pytest.mark.parametrize("cut", [FIRST, FIRST + 2 * CUT])
def test_a_form_may_have_any_length(beyond: int, cut: int) -> None:
    photo = bytes(cut + beyond - len(form_data({}, b"")[0]))
    body, content_type = form_data({}, photo)
    assert len(body) == cut + beyond
    submission = receive(body, {"content-type": content_type}, lambda _: FORM)
    assert bytes(submission.data) == photo


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@pytest.mark.parametrize("file_format", ["JPEG", "PNG", "WEBP", "AVIF"])
def test_a_photograph_is_unmapped_with_its_answer_and_not_by_the_garbage_collector(
    tmp_path: Path, file_format: str
) -> None:
    bench = PhotoBench(tmp_path)
    photo = photograph(file_format=file_format)
    request = ApiRequest(method="POST", path="/photos", caller="anybody")
    with no_garbage_collection():
        submission = receive(photo, {}, lambda _: FORM)
        assert answer(bench.services, request, submission).status == 201
        mapped = weakref.ref(submission.data)
        del submission
        assert mapped() is None


def full_disk() -> IO[bytes]:
    """The kernel's own, which is always full."""
    return Path("/dev/full").open("wb")


def test_a_full_disk_is_no_fault_and_asks_for_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads.tempfile, "TemporaryFile", full_disk)
    form, content_type = form_data({}, photograph())
    for body, headers in ((photograph(), {}), (form, {"content-type": content_type})):
        with pytest.raises(Problem) as refused:
            receive(body, headers, lambda _: FORM)
        assert refused.value.code == "photos-no-space"
        assert int(refused.value.headers["retry-after"]) > 0
