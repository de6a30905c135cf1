"""The answers that nginx keeps by address: asked for twice, never staler than a record, bounded."""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from tests.integration.deliver.asking import ask
from tests.integration.deliver.deliver_rig import Rig, StartRig
from tests.integration.deliver.loaded_pictures import fill
from tests.integration.deliver.recognised_pictures import grainy_colour, write_ours
from tests.integration.deliver.stored_rig import StoredRig, stored_rig
from vitrine.deliver.answer.kept_answers import OPEN_FILES, SMALL_ANSWERS
from vitrine.deliver.metrics.program_cpu import process_tree

TILE = "/iiif/3/plain/0,0,256,256/256,256/0/default.jpg"
EDGE = "/iiif/2/plain/1280,768,20,232/20,232/0/default.jpg"
INFO = "/iiif/3/plain/info.json"
DETAIL = "/iiif/3/plain/3,5,700,600/350,300/0/gray.jpg"
SMALL = "/iiif/3/plain/full/!100,100/0/default.jpg"
NAMED = "/iiif/3/plain/full/!300,300/0/default.jpg"
TTL_SECONDS = 6
NO_DERIVATIVE_CACHE = {"VITRINE_DERIVATIVE_CACHE_MEBIBYTES": "0"}


@pytest.fixture(scope="module")
def rig(start_rig: StartRig) -> Rig:
    return start_rig(**NO_DERIVATIVE_CACHE)


def opened(rig: Rig) -> list[Path]:
    """Return the files in memory that nginx's workers have open; a removed one is `… (deleted)`."""
    found = []
    for pid in process_tree(rig.processes["nginx"].pid)[1:]:
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(FileNotFoundError):
                found.append(link.readlink())
    return [path for path in found if path.is_relative_to(rig.memory)]


def kept(rig: Rig) -> list[Path]:
    return [path for path in (rig.memory / "tiles").rglob("*") if path.is_file()]


def statuses(rig: Rig, path: str, count: int) -> list[str]:
    """What the access log says of the cache, sorted, once it has all `count` requests."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        lines = [line for line in rig.log("nginx").splitlines() if f'"uri":"{path}"' in line]
        if len(lines) >= count:
            return sorted(json.loads(line)["cache"] for line in lines)
        time.sleep(0.05)
    raise AssertionError(f"fewer than {count} lines of {path}")


def keep(rig: Rig, path: str, **headers: str) -> requests.Response:
    """Ask until nginx keeps it, and return the answer that it kept."""
    for _ in range(3):
        answer = ask(rig, path, **headers)
        assert answer.status_code == 200, answer.text
    return answer


def change(rig: Rig, **changes: object) -> None:
    """Change the record of "plain"."""
    records = json.loads((rig.store / "records.json").read_text())
    records = [r | changes if r["identifier"] == "plain" else r for r in records]
    if changes.get("state") == "gone":
        [gone] = [record for record in records if record["identifier"] == "plain"]
        records.remove(gone)
        records.append({"identifier": "plain", **changes})
    new = rig.store / "records.new"
    new.write_text(json.dumps(records))
    new.rename(rig.store / "records.json")


@pytest.fixture(scope="module")
def whole_rig(start_rig: StartRig) -> Rig:
    """With both caches."""
    return start_rig()


@pytest.mark.parametrize(
    "path", [f"{TILE}?1", EDGE, INFO, SMALL, f"{SMALL}?seconds=999", NAMED, DETAIL]
)
def test_what_is_asked_for_again_is_answered_by_nginx_alone(whole_rig: Rig, path: str) -> None:
    rig = whole_rig
    ask(rig, path)  # of a tile, fetched: that one is not to be kept
    first = ask(rig, path)
    answers = [ask(rig, path) for _ in range(3)]
    assert statuses(rig, path, 5) == ["HIT", "HIT", "HIT", "MISS", "MISS"]
    for answer in answers:
        assert answer.content == first.content
        for name in ("etag", "last-modified", "link", "cache-control", "content-type", "cache-tag"):
            assert answer.headers.get(name) == first.headers.get(name)
        assert answer.raw.headers.getlist("access-control-allow-origin") == ["*"]
        assert answer.raw.headers.getlist("cache-control") == [first.headers["cache-control"]]
        assert not [name for name in answer.headers if name.lower().startswith("x-")]
    head = ask(rig, path, "HEAD")
    assert (head.status_code, head.content) == (200, b"")
    if path != INFO:  # which is compressed while it is sent
        assert head.headers["content-length"] == str(len(first.content))


def test_a_kept_tile_is_opened_once(rig: Rig) -> None:
    path = f"{TILE}?open"
    keep(rig, path)
    answer = ask(rig, path)  # another worker may have kept it: this one has it open now
    assert any(answer.content in path.read_bytes() for path in {*opened(rig)} & {*kept(rig)})


def test_the_end_of_a_kept_answer_waits_for_no_acknowledgement(rig: Rig) -> None:
    """A client of Linux delays one for 40 ms at least; a packet within a machine has 64 KiB."""
    path = "/iiif/3/plain/3,5,1200,900/900,675/0/default.png"
    size = len(keep(rig, path).content)
    assert 64 << 10 < size <= SMALL_ANSWERS.max_bytes, "one packet, or none that is kept"
    seconds = []
    with socket.create_connection(("127.0.0.1", urlsplit(rig.url).port), timeout=30) as client:
        for _ in range(20):
            begun, received = time.monotonic(), b""
            client.sendall(f"GET {path} HTTP/1.1\r\nHost: kept.example\r\n\r\n".encode())
            while len(received.partition(b"\r\n\r\n")[2]) < size:
                part = client.recv(256 << 10)
                assert part
                received += part
            seconds.append(time.monotonic() - begun)
    assert min(seconds[2:]) < 0.03


def test_conditions_are_judged_by_the_gateway_though_nginx_has_the_tile(rig: Rig) -> None:
    path = f"{TILE}?2"
    whole = keep(rig, path)
    known = ask(rig, path, If_None_Match=f'"other", {whole.headers["etag"]}')
    assert (known.status_code, known.content) == (304, b"")
    since = ask(rig, path, If_Modified_Since="Fri, 02 Jan 2026 00:00:00 GMT")
    assert since.status_code == 304
    other = ask(rig, path, If_None_Match='"other"', If_Modified_Since="Fri, 02 Jan 2026 00:00:00")
    assert (other.status_code, other.content) == (200, whole.content)
    assert statuses(rig, path, 6)[:3] == [""] * 3


def test_what_is_no_image_is_not_kept(rig: Rig) -> None:
    before = kept(rig)
    for path in (
        "/iiif/3/nobody/0,0,256,256/256,256/0/default.jpg",
        "/iiif/3/lost/0,0,256,256/256,256/0/default.jpg",
        "/iiif/3/old/0,0,256,256/256,256/0/default.jpg",
        "/iiif/3/vanished/0,0,256,256/256,256/0/default.jpg",
    ):
        for _ in range(4):
            requests.get(rig.url + path, timeout=30, allow_redirects=False)
    assert kept(rig) == before


def test_a_host_gets_no_tile_that_names_another(rig: Rig) -> None:
    for host in ("a.example", "b.example"):
        assert f"//{host}/" in keep(rig, TILE, Host=host).headers["link"]


def test_image_information_is_kept_in_each_media_type_that_is_asked_for(rig: Rig) -> None:
    linked = keep(rig, INFO, Accept="application/ld+json")
    assert "ld+json" in linked.headers["content-type"]
    assert "ld+json" not in keep(rig, INFO, Accept="application/json").headers["content-type"]
    assert "ld+json" in keep(rig, INFO, Accept="application/ld+json").headers["content-type"]


def test_a_large_derivative_is_not_kept_by_its_address(whole_rig: Rig) -> None:
    path = "/iiif/3/plain/full/max/0/default.png"
    size = max(len(ask(whole_rig, path).content) for _ in range(4))
    assert size > SMALL_ANSWERS.max_bytes, "otherwise this proves nothing"
    assert "HIT" not in statuses(whole_rig, path, 4)


def test_clients_cannot_say_what_is_kept(rig: Rig) -> None:
    path = "/iiif/3/plain/512,512,256,256/256,256/0/default.jpg"
    spoofed = {"X_Accel_Expires": "999", "X_Request_Uri": TILE, "Cache_Control": "no-cache"}
    answers = [ask(rig, path, **spoofed) for _ in range(5)]
    assert {answer.status_code for answer in answers} == {200}
    assert answers[-1].content == ask(rig, path).content != ask(rig, TILE).content
    assert statuses(rig, path, 6).count("HIT") == 4
    inside = "/" + "/".join(kept(rig)[0].relative_to(rig.memory).parts)
    assert ask(rig, inside).status_code == 404


WITHDRAWN = {"state": "gone", "reason": "rights", "changed_at": "2026-02-03T04:05:06Z"}
REPLACED = {"version": "fedcba9876543210"}


@pytest.mark.parametrize(
    ("path", "changes", "status"),
    [
        (TILE, WITHDRAWN, 410),
        (TILE, REPLACED, 200),
        (SMALL, WITHDRAWN, 410),
        (SMALL, REPLACED, 200),
        (NAMED, REPLACED, 200),
        (INFO, WITHDRAWN, 410),
    ],
)
def test_nothing_is_kept_longer_than_its_record_is_trusted(
    start_rig: StartRig, path: str, changes: dict[str, object], status: int
) -> None:
    rig = start_rig(VITRINE_IDENTIFIER_TTL_SECONDS=str(TTL_SECONDS))
    old = keep(rig, path)
    keep(rig, path)
    changed = time.monotonic()
    change(rig, **changes)
    seen: list[tuple[float, bool]] = []
    while (age := time.monotonic() - changed) < TTL_SECONDS + 3:
        answer = ask(rig, path)
        is_old = answer.status_code == 200 and answer.headers["etag"] == old.headers["etag"]
        assert is_old or answer.status_code == status
        seen.append((age, is_old))
        time.sleep(0.02)
    assert "HIT" in statuses(rig, path, len(seen)), "otherwise this proves nothing"
    assert max(age for age, is_old in seen if is_old) < TTL_SECONDS
    first_new = next(at for at, (_, is_old) in enumerate(seen) if not is_old)
    assert not any(is_old for _, is_old in seen[first_new:])


def test_kept_tiles_stay_within_their_size(start_rig: StartRig) -> None:
    rig = start_rig(VITRINE_TILE_CACHE_MEBIBYTES="1", **NO_DERIVATIVE_CACHE)
    for number in range(100):  # each host has its own
        for path in (TILE, "/iiif/3/tall/0,0,512,512/256,256/0/default.jpg"):
            keep(rig, path, Host=f"{number}.example")
    deadline = time.monotonic() + 30
    while (used := sum(_size(path) for path in kept(rig))) > 1 << 20:
        assert time.monotonic() < deadline, used
        time.sleep(0.2)


def test_a_worker_holds_no_more_removed_tiles_open_than_memory_has_room_for(
    start_rig: StartRig,
) -> None:
    rig = start_rig(
        VITRINE_TILE_CACHE_MEBIBYTES="1", VITRINE_GATEWAY_PROCESSES="1", **NO_DERIVATIVE_CACHE
    )
    with requests.Session() as session:
        for number in range(OPEN_FILES[SMALL_ANSWERS] + 200):
            for _ in range(3):
                answer = session.get(rig.url + TILE, headers={"Host": f"{number}.example"})
                assert answer.status_code == 200
    held = opened(rig)
    assert any("(deleted)" in path.name for path in held)
    # And the file of an answer that is being sent.
    assert OPEN_FILES[SMALL_ANSWERS] / 2 < len(held) <= OPEN_FILES[SMALL_ANSWERS] + 1


def _size(path: Path) -> int:
    try:
        return path.stat().st_blocks * 512
    except FileNotFoundError:
        return 0


@pytest.fixture
def small_disk() -> Iterator[StoredRig]:
    """A disk of their own for kept tiles."""
    with ExitStack() as stack:
        size = 24 << 20
        try:
            disk = stored_rig(cache_disk_bytes=size, cache="memory/tiles", **NO_DERIVATIVE_CACHE)
            running = stack.enter_context(disk)
        except OSError as error:
            pytest.skip(f"NOT TESTED: {error}")
        yield running


def test_a_full_disk_costs_nobody_a_tile(small_disk: StoredRig, tmp_path: Path) -> None:
    rig, picture = small_disk.rig, tmp_path / "picture.tif"
    write_ours(grainy_colour(1300, 1000, (30, 200, 30)), picture)
    small_disk.publish(picture, "image", "1")
    path = "/iiif/3/image/256,256,256,256/256,256/0/default.jpg"
    whole = keep(rig, path).content
    fill(rig.memory / "tiles/of-somebody-else")
    time.sleep(1.1)  # the disk is looked at every second
    for number in range(20):
        for _ in range(4):
            answer = ask(rig, path, Host=f"{number}.example")
            assert (answer.status_code, answer.content) == (200, whole)


def test_without_it_every_tile_comes_from_the_gateway(start_rig: StartRig) -> None:
    rig = start_rig(VITRINE_TILE_CACHE_MEBIBYTES="0", **NO_DERIVATIVE_CACHE)
    for _ in range(4):
        assert ask(rig, TILE).status_code == 200
    assert statuses(rig, TILE, 4) == [""] * 4
    assert not (rig.memory / "tiles").exists()
