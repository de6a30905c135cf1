"""A form of a page: its fields once each, then its photograph; the form is judged before that."""

import io
import json

import pytest

from tests.unit.photos.photo_bench import PhotoBench, code_of, form_data, photograph
from vitrine.photos.wsgi import PhotoDoor

END = b"--frontier--\r\n"


@pytest.fixture
def bench(tmp_path) -> PhotoBench:
    return PhotoBench(tmp_path)


def parts(*forms: bytes) -> bytes:
    """Return one form with the parts of all."""
    return b"".join(form.removesuffix(END) for form in forms) + END


def sent(bench: PhotoBench, body: bytes) -> tuple[int, str]:
    """Send a form without a token in the head of the request."""
    headers = {"content-type": "multipart/form-data; boundary=frontier"}
    return code_of(bench.ask("POST", body, "store=no", headers))


def test_a_token_behind_the_photograph_comes_too_late(bench: PhotoBench) -> None:
    photo, _ = form_data({}, photograph())
    token, _ = form_data({"token": bench.token()}, None)
    assert sent(bench, parts(photo, token)) == (401, "form-missing")


def test_a_field_behind_the_photograph_is_refused_and_named(bench: PhotoBench) -> None:
    photo, content_type = form_data({}, photograph())
    clean, _ = form_data({"clean": "no"}, None)
    response = bench.send(parts(photo, clean), content_type=content_type)
    assert code_of(response) == (400, "photo-body-invalid")
    assert "'clean' comes after the photograph" in json.loads(response.body)["detail"]


@pytest.mark.parametrize("name", ["token", "thumbnails", "store"])
def test_a_field_that_comes_twice_is_refused_and_named(bench: PhotoBench, name: str) -> None:
    fields = {"token": bench.token(), "thumbnails": "small", "store": "no"}
    again, _ = form_data({name: fields[name]}, None)
    whole, content_type = form_data(fields, photograph())
    response = bench.ask("POST", parts(again, whole), "", {"content-type": content_type})
    assert code_of(response) == (400, "photo-body-invalid")
    assert f"'{name}' comes twice" in json.loads(response.body)["detail"]


@pytest.mark.parametrize(
    "body",
    [
        b'{"upload": "a", "upload": "b"}',
        b'{"upload": 1}',
        b'[["upload", "a"]]',
        b'{"colour": "a"}',
        b"[" * 5_000,
        b'{"upload": "' + b"a" * 9_000 + b'"}',
    ],
)
def test_json_that_is_no_object_of_known_texts_is_refused(bench: PhotoBench, body: bytes) -> None:
    response = bench.send(body, content_type="application/json")
    assert code_of(response) == (400, "photo-body-invalid")


class Unread(io.BytesIO):
    """A body that nobody may read beyond a place."""

    most = 0

    def read(self, size: int | None = -1) -> bytes:
        assert self.most > 0, "it was read"
        self.most -= 1
        return super().read(size)


MEDIA_TYPES = ("image/jpeg", "multipart/form-data; boundary=a", "application/json")
REFUSED = [("", 1_000, "image/jpeg", "form-missing")]
"""A form and an object may have a token among their fields."""
REFUSED += [("no.form.at-all", 1_000, media_type, "form-invalid") for media_type in MEDIA_TYPES]
REFUSED += [(None, 5 << 20, media_type, "photo-too-large") for media_type in MEDIA_TYPES]


@pytest.mark.parametrize(("token", "length", "media_type", "expected"), REFUSED)
def test_who_may_not_send_is_answered_before_anything_is_read(
    bench: PhotoBench, token: str | None, length: int, media_type: str, expected: str
) -> None:
    answer = ask(bench, Unread(), length, media_type, bench.token() if token is None else token)
    assert answer == f"/problems/{expected}"


def test_of_a_form_only_what_comes_before_the_photograph_is_read(bench: PhotoBench) -> None:
    body, content_type = form_data({"token": "no.form.at-all"}, bytes(2 << 20))
    source = Unread(body)
    source.most = 1
    assert ask(bench, source, len(body), content_type, "") == "/problems/form-invalid"


def ask(bench: PhotoBench, source: io.BytesIO, length: int, media_type: str, token: str) -> str:
    """Ask the door as gunicorn does, and return the type of the problem."""
    environ = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/photos",
        "CONTENT_TYPE": media_type,
        "CONTENT_LENGTH": str(length),
        "wsgi.input": source,
    }
    if token:
        environ["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    body = b"".join(PhotoDoor(bench.services)(environ, lambda *_: None))
    return str(json.loads(body)["type"])
