"""What arrives is cut where no reader of it takes offence, and is let go with its answer."""

import gc
import io
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.unit.photos.photo_bench import PhotoBench, form_data, photograph
from vitrine.api.http import Request
from vitrine.photos.application import answer
from vitrine.photos.uploads import receive_submission

CUT = 256 << 10
"""Bytes that are read at a time."""


@pytest.mark.parametrize("beyond", range(-3, 6))
def test_a_form_may_have_any_length(beyond: int) -> None:
    _, content_type = form_data({}, b"")
    photo = bytes(2 * CUT + beyond - len(form_data({}, b"")[0]))
    body, _ = form_data({}, photo)
    assert len(body) == 2 * CUT + beyond
    request = Request(
        method="POST", path="/photos", headers={"content-type": content_type}, caller="anybody"
    )
    environ = {"CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body)}
    with receive_submission(environ, request, 10 * CUT) as submission:
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
    headers = {"authorization": f"Bearer {bench.token()}"}
    request = Request(method="POST", path="/photos", headers=headers, caller="anybody")
    environ = {"CONTENT_LENGTH": str(len(photo)), "wsgi.input": io.BytesIO(photo)}
    with no_garbage_collection():
        with receive_submission(environ, request, 10 * CUT) as submission:
            assert answer(bench.services, request, submission).status == 201
            mapped = weakref.ref(submission.data)
        del submission
        assert mapped() is None
