"""A scheduled update begins again where what it kept cannot be used."""

from collections.abc import Iterator

import pytest

from tests.unit.sources.iiif.books import serve_books
from tests.unit.sources.iiif.iiif_server import (
    IiifServer,
)
from tests.unit.sources.updates.update_rig import Rig, rules_of
from vitrine.store.layout import harvest_key


@pytest.fixture
def source() -> Iterator[IiifServer]:
    with serve_books({f"/b{number}": f"/iiif/3/b{number}" for number in range(4)}) as started:
        yield started


@pytest.fixture
def rig(source: IiifServer) -> Rig:
    return Rig(rules_of(source))


@pytest.mark.parametrize("body", [b"", b"no archive", b"\x1f\x8b\x08\x00broken"])
def test_a_damaged_folder_is_thrown_away_and_everything_is_fetched_again(
    rig: Rig, body: bytes
) -> None:
    rig.tick()
    rig.bench.records.put(harvest_key("books", "table.tar.gz"), body, content_type="x")
    rig.next_day()
    run = rig.tick()
    assert (run.exit_code, run.said) == (0, "")
    assert rig.log()[-1]["counts"]["new"] == 4
    rig.next_day()
    rig.tick()
    assert rig.log()[-1]["counts"]["new"] == 0, "the folder is whole again"


def test_half_an_archive_is_thrown_away(rig: Rig) -> None:
    rig.tick()
    key = harvest_key("books", "table.tar.gz")
    body, _ = rig.bench.records.get(key)
    rig.bench.records.put(key, body[: len(body) // 2], content_type="x")
    rig.next_day()
    assert rig.tick().exit_code == 0
    assert rig.members() == ["b0", "b1", "b2", "b3"]


def test_a_source_that_moved_is_fetched_whole_and_nothing_is_lost_until_then(
    rig: Rig, source: IiifServer
) -> None:
    rig.tick()
    with serve_books({f"/b{number}": f"/iiif/3/b{number}" for number in range(4)}) as other:
        rules = rules_of(other)
        rig.schedule(rules.replace(other.address, f"{other.address}/not-there"))
        run = rig.tick()
        assert run.exit_code == 2
        assert "--everything" not in run.said
        assert rig.members() == ["b0", "b1", "b2", "b3"], "what is published stays"
        rig.schedule(rules)
        run = rig.tick()
    assert (run.exit_code, run.said) == (0, "")
    assert rig.log()[-1]["counts"]["new"] == 4
    assert rig.members() == ["b0", "b1", "b2", "b3"]
