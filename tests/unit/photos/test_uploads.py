"""What arrives is cut where no reader of it takes offence."""

import io

import pytest

from tests.unit.photos.photo_bench import form_data
from vitrine.api.http import Request
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
