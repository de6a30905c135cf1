"""What every IdentifierTable promises."""

from dataclasses import replace

import pytest

from vitrine.adapters.aws.identifier_table import DynamoIdentifierTable
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.errors import PreconditionFailed, RecordDamaged
from vitrine.identify.canary import CANARY_IDENTIFIER, plant_canary
from vitrine.ports import IdentifierTable
from vitrine.records import Gone, Live, Record, Redirect, Removed

AT = "2026-11-22T00:00:00.000Z"
IMAGE = Live(
    identifier="nachtwache",
    revision=1,
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
RECORDS: list[Record] = [
    IMAGE,
    Redirect(identifier="night watch", revision=3, target="nachtwache", changed_at=AT),
    Gone(identifier="日本 №1 / 50%", revision=2, reason="Zurückgezogen.", changed_at=AT),
    Removed(identifier="mistake", revision=4, changed_at=AT),
]


def test_an_unheard_identifier_has_no_record(identifiers: IdentifierTable) -> None:
    assert identifiers.get("nobody") is None


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_what_was_written_reads_back_equal(identifiers: IdentifierTable, record: Record) -> None:
    identifiers.write(record, None)
    assert identifiers.get(record.identifier) == record


def test_a_version_that_waits_for_its_moment_reads_back_equal(
    identifiers: IdentifierTable,
) -> None:
    waiting = replace(IMAGE, revision=2, version="2", holds_from=AT, before=IMAGE)
    identifiers.write(IMAGE, None)
    identifiers.write(waiting, IMAGE)
    assert identifiers.get(IMAGE.identifier) == waiting
    assert identifiers.newest(9) == [waiting]


def test_a_record_takes_the_place_of_the_one_it_names(identifiers: IdentifierTable) -> None:
    identifiers.write(IMAGE, None)
    tombstone = Gone(identifier=IMAGE.identifier, revision=2, reason="Deleted.", changed_at=AT)
    identifiers.write(tombstone, IMAGE)
    assert identifiers.get(IMAGE.identifier) == tombstone
    assert identifiers.newest(9) == []


def test_a_write_that_does_not_replace_the_current_record_is_refused(
    identifiers: IdentifierTable,
) -> None:
    first = replace(IMAGE, revision=1)
    second, third = replace(IMAGE, revision=2, version="2"), replace(IMAGE, revision=3, version="3")
    with pytest.raises(PreconditionFailed):
        identifiers.write(second, first)
    identifiers.write(first, None)
    identifiers.write(second, first)
    for late in (None, first, third):
        with pytest.raises(PreconditionFailed):
            identifiers.write(third, late)
    assert identifiers.get(IMAGE.identifier) == second


def test_the_newest_come_first(identifiers: IdentifierTable) -> None:
    for number in range(20):
        moment = f"2026-11-21T07:00:{number:02}.000Z"
        image = replace(IMAGE, identifier=f"image-{number}", published_at=moment)
        identifiers.write(image, None)
    names = [image.identifier for image in identifiers.newest(5)]
    assert names == ["image-19", "image-18", "image-17", "image-16", "image-15"]
    assert len(identifiers.newest(100)) == 20


def test_many_records_are_read_at_once(identifiers: IdentifierTable) -> None:
    names = [f"{number} ä" for number in range(130)]
    for name in names:
        identifiers.write(replace(IMAGE, identifier=name), None)
    found = identifiers.get_many([*names, "nobody", names[0]])
    assert sorted(found) == sorted(names)
    assert found[names[7]] == replace(IMAGE, identifier=names[7])
    assert identifiers.get_many([]) == {}


def test_many_records_are_read_as_they_are_now_if_that_is_requested(
    identifiers: IdentifierTable,
) -> None:
    for revision in range(1, 20):
        before = replace(IMAGE, revision=revision - 1) if revision > 1 else None
        identifiers.write(replace(IMAGE, revision=revision), before)
        found = identifiers.get_many([IMAGE.identifier, "nobody"], consistent=True)
        assert found == {IMAGE.identifier: replace(IMAGE, revision=revision)}


def test_redirects_are_found_by_their_target(identifiers: IdentifierTable) -> None:
    for record in RECORDS:
        identifiers.write(record, None)
    names = [f"old {number}" for number in range(300)]
    for name in names:
        note = "x" * 8_000  # so that the answers need several pages
        redirect = Redirect(identifier=name, revision=1, target="neu/ä", changed_at=AT, note=note)
        identifiers.write(redirect, None)
    assert sorted(item.identifier for item in identifiers.redirects_to("neu/ä")) == sorted(names)
    assert [item.identifier for item in identifiers.redirects_to("nachtwache")] == ["night watch"]
    assert list(identifiers.redirects_to("nobody")) == []
    assert len(list(identifiers.redirects())) == 301


def test_a_redirect_that_leads_elsewhere_is_not_found_by_its_previous_target(
    identifiers: IdentifierTable,
) -> None:
    first = Redirect(identifier="a", revision=1, target="b", changed_at=AT)
    identifiers.write(first, None)
    identifiers.write(replace(first, revision=2, target="c"), first)
    assert list(identifiers.redirects_to("b")) == []
    taken_back = Removed(identifier="a", revision=3, changed_at=AT)
    identifiers.write(taken_back, replace(first, revision=2))
    assert list(identifiers.redirects()) == []


def test_records_are_listed_and_counted_by_state(identifiers: IdentifierTable) -> None:
    for record in RECORDS:
        identifiers.write(record, None)
    second = Gone(identifier="b", reason="r", changed_at="2026-11-23T00:00:00.000Z")
    identifiers.write(second, None)
    assert identifiers.by_state("live", 9) == [IMAGE]
    assert identifiers.by_state("gone", 9) == [second, RECORDS[2]]
    assert identifiers.by_state("gone", 1) == [second]
    assert identifiers.by_state("redirect", 9) == [RECORDS[1]]
    counts = [identifiers.count(state, 9) for state in ("live", "redirect", "gone", "removed")]
    assert counts == [1, 1, 2, 1]
    assert identifiers.count("gone", 1) == 1


def test_the_canary_is_planted_and_found(identifiers: IdentifierTable) -> None:
    plant_canary(identifiers)
    plant_canary(identifiers)
    assert CANARY_IDENTIFIER in identifiers.get_many([CANARY_IDENTIFIER])


def damage(identifiers: IdentifierTable, name: str, change: str, **values: str) -> None:
    """Change an attribute of an item, outside of the service."""
    match identifiers:
        case MemoryIdentifierTable():
            identifiers.damage(name, has_revision="revision" not in change)
        case DynamoIdentifierTable(_client=client, _table=table):
            named = {f":{name}": {"S": value} for name, value in values.items()}
            client.update_item(
                TableName=table,
                Key={"identifier": {"S": name}},
                UpdateExpression=change,
                **({"ExpressionAttributeValues": named} if named else {}),
            )


@pytest.mark.parametrize(
    ("change", "values"),
    [
        ("REMOVE width", {}),
        ("SET width = :width", {"width": "wide"}),
        ("SET levels = :levels", {"levels": "1000,700"}),
        ("SET revision = :revision", {"revision": "first"}),
        ("REMOVE revision, version", {}),
    ],
)
def test_a_damaged_record_spoils_no_other_and_is_replaced(
    identifiers: IdentifierTable, change: str, values: dict[str, str]
) -> None:
    other = replace(IMAGE, identifier="other")
    for record in (IMAGE, other):
        identifiers.write(record, None)
    damage(identifiers, IMAGE.identifier, change, **values)
    found = identifiers.get_many([IMAGE.identifier, "other"], consistent=True)
    damaged = found[IMAGE.identifier]
    assert isinstance(damaged, RecordDamaged)
    assert found["other"] == other
    with pytest.raises(RecordDamaged, match="identifiers rebuild"):
        identifiers.get(IMAGE.identifier)
    assert identifiers.newest(9) == [other]
    assert identifiers.by_state("live", 9) == [other]
    sound = replace(IMAGE, revision=2)
    identifiers.write(sound, damaged)
    with pytest.raises(PreconditionFailed):
        identifiers.write(IMAGE, damaged)
    assert identifiers.get(IMAGE.identifier) == sound
