"""The derivatives that nginx keeps: rendered once, never stale, bounded, and out of reach."""

import json
import time
import uuid
from pathlib import Path

import pytest
import requests

from tests.integration.deliver.asking import ask
from tests.integration.deliver.deliver_rig import Rig, StartRig

SMALL = "/iiif/3/plain/full/!300,300/0/default.jpg"
WHOLE = "/iiif/3/plain/full/max/0/default.png"
LARGE = "/iiif/3/plain/full/^!2000,2000/0/default.jpg"
TILE = "/iiif/3/plain/0,0,256,256/256,256/0/default.jpg"
TTL_SECONDS = 1


def kept(rig: Rig) -> list[Path]:
    return [path for path in rig.memory.glob("*derivatives/**/*") if path.is_file()]


def cache_status(rig: Rig, path: str, **headers: str) -> tuple[requests.Response, str]:
    """The answer, and what the access log says of the cache once it says it."""
    marker = f"marker={uuid.uuid4()}"
    response = ask(rig, f"{path}?{marker}", **headers)
    deadline = time.monotonic() + 10
    while not (lines := [line for line in rig.log("nginx").splitlines() if marker in line]):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return response, json.loads(lines[0])["cache"]


@pytest.fixture
def own_rig(start_rig: StartRig) -> Rig:
    return start_rig(
        VITRINE_IDENTIFIER_TTL_SECONDS=str(TTL_SECONDS), VITRINE_TILE_CACHE_MEBIBYTES="0"
    )


def republish(rig: Rig, version: str) -> None:
    records = json.loads((rig.store / "records.json").read_text())
    for record in records:
        if record["identifier"] == "plain":
            record["version"] = version
    new = rig.store / "records.new"
    new.write_text(json.dumps(records))
    new.rename(rig.store / "records.json")


@pytest.mark.parametrize(
    ("path", "spelling"),
    [(SMALL, "full/300,/0/color.jpg"), (WHOLE, "full/1300,1000/0/default.png")],
)
def test_a_derivative_is_rendered_once_for_all_who_ask(
    own_rig: Rig, path: str, spelling: str
) -> None:
    first, status = cache_status(own_rig, path)
    assert (first.status_code, status) == (200, "MISS")
    for same in (path, f"/iiif/3/plain/{spelling}"):
        again, status = cache_status(own_rig, same)
        assert (again.status_code, status) == (200, "HIT")
        assert again.content == first.content
    for name in ("etag", "last-modified", "link", "cache-control", "content-type", "cache-tag"):
        assert again.headers[name] == first.headers[name]
    assert again.raw.headers.getlist("access-control-allow-origin") == ["*"]
    assert again.raw.headers.getlist("cache-control") == [first.headers["cache-control"]]
    head = ask(own_rig, path, "HEAD")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(first.content))


def test_a_known_derivative_is_not_sent_again_and_a_changed_one_is(own_rig: Rig) -> None:
    first = ask(own_rig, SMALL)
    known, status = cache_status(own_rig, SMALL, If_None_Match=first.headers["etag"])
    assert (known.status_code, known.content, status) == (304, b"", "")
    other = ask(own_rig, SMALL, If_None_Match='"other"')
    assert (other.status_code, other.content) == (200, first.content)
    since = ask(own_rig, SMALL, If_Modified_Since=first.headers["last-modified"])
    assert since.status_code == 304


def test_a_republished_image_is_seen_as_soon_as_its_record_is(own_rig: Rig) -> None:
    old = ask(own_rig, SMALL)
    republish(own_rig, "fedcba9876543210")
    time.sleep(TTL_SECONDS + 0.1)
    new, status = cache_status(own_rig, SMALL)
    assert (new.status_code, status) == (200, "MISS")
    assert new.headers["etag"] != old.headers["etag"]
    assert ask(own_rig, SMALL, If_None_Match=old.headers["etag"]).status_code == 200
    republish(own_rig, "0123456789abcdef")
    time.sleep(TTL_SECONDS + 0.1)
    back, status = cache_status(own_rig, SMALL)
    assert (back.headers["etag"], status) == (old.headers["etag"], "HIT")


def test_tiles_information_errors_and_large_derivatives_are_not_kept(own_rig: Rig) -> None:
    for path in (TILE, LARGE, "/iiif/3/plain/info.json", "/iiif/3/nobody/info.json"):
        ask(own_rig, path)
    # Its access master is not there: 503, and not for ever.
    assert ask(own_rig, "/iiif/3/vanished/full/!250,250/0/default.jpg").status_code == 503
    assert kept(own_rig) == []


def test_a_host_gets_no_answer_that_names_another(own_rig: Rig) -> None:
    for host in ("a.example", "b.example"):
        for _ in range(2):
            assert f"//{host}/" in ask(own_rig, SMALL, Host=host).headers["link"]
    assert len(kept(own_rig)) == 2


def test_clients_can_neither_name_a_derivative_nor_see_how_it_is_kept(own_rig: Rig) -> None:
    spoofed = {"X_Derivative": "/.derivative/0", "X_Accel_Redirect": "/.derivative/0"}
    spoofed |= {"X_Accel_Expires": "999", "X_Request_Uri": "/iiif/3/nobody/info.json"}
    for _ in range(2):
        response = ask(own_rig, SMALL, **spoofed)
        assert response.status_code == 200
        assert not [name for name in response.headers if name.lower().startswith("x-")]
    assert len(kept(own_rig)) == 1
    inside = "/" + "/".join(kept(own_rig)[0].relative_to(own_rig.memory).parts)
    for path in (inside, "/.derivative/0", "/iiif/../.derivative/0"):
        assert ask(own_rig, path).status_code == 404


def test_it_stays_within_its_size(start_rig: StartRig) -> None:
    rig = start_rig(VITRINE_DERIVATIVE_CACHE_MEBIBYTES="1", VITRINE_TILE_CACHE_MEBIBYTES="0")
    for number in range(60):
        side = 700 + number
        assert ask(rig, f"/iiif/3/plain/full/{side},/0/default.png").status_code == 200
    deadline = time.monotonic() + 30
    while (used := sum(_size(path) for path in kept(rig))) > 1 << 20:
        assert time.monotonic() < deadline, used
        time.sleep(0.2)
    assert kept(rig)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def test_without_it_every_derivative_is_rendered(start_rig: StartRig) -> None:
    rig = start_rig(VITRINE_DERIVATIVE_CACHE_MEBIBYTES="0", VITRINE_TILE_CACHE_MEBIBYTES="0")
    for _ in range(2):
        response, status = cache_status(rig, SMALL)
        assert (response.status_code, status) == (200, "")
    assert not (rig.memory / "derivatives").exists()
