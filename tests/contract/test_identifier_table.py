"""What every IdentifierTable promises."""

from dataclasses import replace

import pytest

from vitrine.errors import PreconditionFailed
from vitrine.identify.record import Gone, Live
from vitrine.ports import IdentifierTable

IMAGE = Live(
    identifier="nachtwache",
    version="0123456789abcdef",
    access_master_key="ab/nachtwache/0123456789abcdef.tif",
    access_master_bytes=5_000_000_000,
    width=1000,
    height=700,
    tile_width=256,
    tile_height=256,
    levels=((1000, 700), (500, 350), (250, 175)),
    master_key="a/nachtwache.tif",
    master_version="v1",
    master_modified="2026-11-21T07:00:00.000Z",
    published_at="2026-11-21T07:00:10.000Z",
)


def test_an_unheard_identifier_has_no_record(identifiers: IdentifierTable) -> None:
    assert identifiers.get("nobody") is None


@pytest.mark.parametrize("identifier", ["nachtwache", "日本 №1 / 50%"])
def test_a_published_image_reads_back_equal(identifiers: IdentifierTable, identifier: str) -> None:
    image = replace(IMAGE, identifier=identifier)
    identifiers.publish(image)
    assert identifiers.get(identifier) == image


def test_a_newer_master_replaces_its_image(identifiers: IdentifierTable) -> None:
    identifiers.publish(IMAGE)
    newer = replace(IMAGE, version="f" * 16, master_modified="2026-11-21T08:00:00.000Z")
    identifiers.publish(newer)
    assert identifiers.get(IMAGE.identifier) == newer


def test_publishing_twice_changes_nothing(identifiers: IdentifierTable) -> None:
    identifiers.publish(IMAGE)
    identifiers.publish(IMAGE)
    assert identifiers.get(IMAGE.identifier) == IMAGE


def test_an_older_master_is_refused(identifiers: IdentifierTable) -> None:
    identifiers.publish(IMAGE)
    with pytest.raises(PreconditionFailed):
        identifiers.publish(replace(IMAGE, master_modified="2026-11-20T00:00:00.000Z"))
    assert identifiers.get(IMAGE.identifier) == IMAGE


def test_another_master_is_refused_however_new(identifiers: IdentifierTable) -> None:
    identifiers.publish(IMAGE)
    with pytest.raises(PreconditionFailed):
        identifiers.publish(
            replace(IMAGE, master_key="b.tif", master_modified="2027-01-01T00:00:00.000Z")
        )
    assert identifiers.get(IMAGE.identifier) == IMAGE


def test_the_newest_come_first(identifiers: IdentifierTable) -> None:
    for number in range(20):
        identifiers.publish(
            replace(
                IMAGE,
                identifier=f"image-{number}",
                published_at=f"2026-11-21T07:00:{number:02}.000Z",
            )
        )
    names = [image.identifier for image in identifiers.newest(5)]
    assert names == ["image-19", "image-18", "image-17", "image-16", "image-15"]
    assert len(identifiers.newest(100)) == 20


TOMBSTONE = Gone(
    identifier=IMAGE.identifier, reason="Deleted.", changed_at="2026-11-22T00:00:00.000Z"
)


def test_a_publication_says_what_it_replaced(identifiers: IdentifierTable) -> None:
    assert identifiers.publish(IMAGE) is None
    newer = replace(IMAGE, version="f" * 16)
    assert identifiers.publish(newer) == IMAGE
    identifiers.withdraw(newer, TOMBSTONE)
    assert identifiers.publish(IMAGE) == TOMBSTONE


def test_a_withdrawn_image_leaves_a_tombstone(identifiers: IdentifierTable) -> None:
    identifiers.publish(IMAGE)
    identifiers.withdraw(IMAGE, TOMBSTONE)
    assert identifiers.get(IMAGE.identifier) == TOMBSTONE
    assert identifiers.newest(9) == []


@pytest.mark.parametrize("other", [{"master_key": "b.tif"}, {"master_version": "v2"}])
def test_only_the_image_that_is_live_is_withdrawn(
    identifiers: IdentifierTable, other: dict[str, str]
) -> None:
    image = replace(IMAGE, **other)  # type: ignore[arg-type]
    with pytest.raises(PreconditionFailed):
        identifiers.withdraw(IMAGE, TOMBSTONE)
    identifiers.publish(image)
    with pytest.raises(PreconditionFailed):
        identifiers.withdraw(IMAGE, TOMBSTONE)
    assert identifiers.get(IMAGE.identifier) == image


def test_many_records_are_read_at_once(identifiers: IdentifierTable) -> None:
    names = [f"{number} ä" for number in range(130)]
    for name in names:
        identifiers.publish(replace(IMAGE, identifier=name))
    found = identifiers.get_many([*names, "nobody", names[0]])
    assert sorted(found) == sorted(names)
    assert found[names[7]] == replace(IMAGE, identifier=names[7])
    assert identifiers.get_many([]) == {}
