"""What a curator withdraws stays withdrawn, until a curator says otherwise."""

import pytest

from tests.unit.ingest.followed_masters import IDENTIFIER, KEY, FollowedMasters
from tests.unit.ingest.walked import walk
from vitrine.errors import IdentifierRefused
from vitrine.identify.redirects.redirects import Redirects
from vitrine.ingest.publish.curation import Curation
from vitrine.ingest.services import IngestServices
from vitrine.records import Gone, Live, Redirect, state


@pytest.fixture
def bed(services: IngestServices) -> FollowedMasters:
    return FollowedMasters(services)


@pytest.fixture
def curated(bed: FollowedMasters) -> Curation:
    services = bed.services
    return Curation(
        register=services.register, masters=services.masters, outcomes=services.outcomes
    )


def test_the_reconciler_leaves_a_tombstone_by_hand_alone(
    bed: FollowedMasters, curated: Curation
) -> None:
    """Its access master, which nothing answers with any more, may expire; nothing else is done."""
    image = bed.publish_one()
    curated.withdraw(IDENTIFIER, "Rights ended.")
    for superseded in (1, 0):
        found = {"masters": 1, "access_masters": 1, "superseded": superseded}
        assert walk(bed) == {name: count for name, count in found.items() if count}
    assert bed.event() is not None, "a repeated event of the upload"
    assert bed.started() == []
    assert bed.answer() == "gone"
    assert bed.superseded() == {image.access_master_key}


def test_a_restoration_ingests_the_master_once_more(
    bed: FollowedMasters, curated: Curation
) -> None:
    image = bed.publish_one()
    curated.withdraw(IDENTIFIER, "Rights ended.")
    walk(bed)
    curated.restore(IDENTIFIER)
    bed.event()
    bed.run()
    assert bed.answer() == "live"
    assert bed.superseded() == set()
    assert walk(bed) == {"masters": 1, "access_masters": 1}
    assert bed.services.identifiers.get(IDENTIFIER) != image


def test_a_new_upload_revives_what_was_withdrawn_by_hand(
    bed: FollowedMasters, curated: Curation
) -> None:
    bed.publish_one()
    curated.withdraw(IDENTIFIER, "Rights ended.")
    bed.publish_one(b"2")
    assert bed.answer() == "live"


def test_a_master_that_is_deleted_after_its_image_leaves_the_curator_s_reason(
    bed: FollowedMasters, curated: Curation
) -> None:
    bed.publish_one()
    curated.withdraw(IDENTIFIER, "Rights ended.")
    bed.masters.delete(KEY)
    bed.event()
    bed.grace_ends()
    tombstone = bed.services.identifiers.get(IDENTIFIER)
    assert isinstance(tombstone, Gone)
    assert tombstone.reason == "Rights ended."
    with pytest.raises(IdentifierRefused, match="Upload it again"):
        curated.restore(IDENTIFIER)


def test_another_reason_takes_the_place_of_the_first(
    bed: FollowedMasters, curated: Curation
) -> None:
    bed.publish_one()
    for reason in ("Rights ended.", "Sold."):
        assert curated.withdraw(IDENTIFIER, reason).made
    assert [name for name in bed.events() if name == "ImageWithdrawn"] == ["ImageWithdrawn"]


OTHER, OTHERS_KEY = "SK-C-5", "b/SK-C-5.tif"


@pytest.fixture
def withdrawn(bed: FollowedMasters, curated: Curation) -> Gone:
    """The tombstone of another master's image, next to a live image."""
    bed.publish_one()
    bed.publish_one(b"other", OTHERS_KEY)
    tombstone = curated.withdraw(OTHER, "Rights ended.").after
    assert isinstance(tombstone, Gone)
    return tombstone


def test_a_withdrawn_image_keeps_its_name_and_can_be_restored(
    bed: FollowedMasters, curated: Curation, withdrawn: Gone
) -> None:
    with pytest.raises(IdentifierRefused, match="--replace-withdrawn") as refused:
        curated.rename(IDENTIFIER, OTHER)
    assert refused.value.code == "withdrawn-image"
    assert bed.services.identifiers.get(OTHER) == withdrawn
    curated.restore(OTHER)
    bed.event(OTHERS_KEY)
    bed.run()
    assert (bed.answer(), bed.answer(OTHER)) == ("live", "live")


def test_a_withdrawn_image_gives_its_name_away_when_that_is_said(
    bed: FollowedMasters, curated: Curation, withdrawn: Gone
) -> None:
    """And the table can be made anew from what the journal holds."""
    curated.rename(IDENTIFIER, OTHER, replace_withdrawn=True)
    bed.event()
    bed.run()
    image = bed.services.identifiers.get(OTHER)
    assert isinstance(image, Live)
    assert image.master_key == KEY
    assert isinstance(bed.services.identifiers.get(IDENTIFIER), Redirect)
    journal = bed.services.register.journal
    assert [state(record) for record in journal.history(OTHER)] == ["live", "gone", "live"]
    assert journal.latest(OTHER) == image


def test_an_image_that_is_withdrawn_during_a_rename_keeps_its_name(
    bed: FollowedMasters, curated: Curation
) -> None:
    """The name was free when the curator asked: it is the publication that says no."""
    bed.publish_one()
    curated.rename(IDENTIFIER, OTHER)
    bed.event()
    [rename] = bed.started()
    bed.ran.add(rename.execution)
    converted = bed.convert(rename)
    bed.publish_one(b"other", OTHERS_KEY)
    curated.withdraw(OTHER, "Rights ended.")
    assert bed.publish(converted) == "identifier-withdrawn"
    assert (bed.answer(), bed.answer(OTHER)) == ("live", "gone")
    assert bed.state() == "rejected"


def test_an_image_may_take_the_name_back_under_which_it_was_withdrawn(
    bed: FollowedMasters, curated: Curation
) -> None:
    bed.publish_one()
    curated.withdraw(IDENTIFIER, "Rights ended.")
    bed.masters.put(KEY, b"2", content_type="image/tiff", metadata={"identifier": OTHER})
    bed.event()
    bed.run()
    curated.rename(OTHER, IDENTIFIER)
    bed.event()
    bed.run()
    assert bed.answer() == "live"


def test_a_name_that_was_given_to_a_redirect_can_be_restored_once_that_is_taken_back(
    bed: FollowedMasters, curated: Curation, withdrawn: Gone
) -> None:
    redirects = Redirects(bed.services.register)
    redirects.add(OTHER, IDENTIFIER, replace_withdrawn=True)
    with pytest.raises(IdentifierRefused, match="vitrine redirects remove"):
        curated.restore(OTHER)
    redirects.remove(OTHER)
    curated.restore(OTHER)
    bed.event(OTHERS_KEY)
    bed.run()
    assert bed.answer(OTHER) == "live"


def test_a_master_that_is_replaced_while_it_is_renamed_is_not_taken_for_the_other(
    bed: FollowedMasters, curated: Curation
) -> None:
    """The copy is of the bytes that were looked at, or of none."""
    bed.publish_one()
    head = bed.masters.head

    def replaced_meanwhile(key: str) -> object:
        info = head(key)
        bed.upload(b"2")
        return info

    bed.masters.head = replaced_meanwhile  # type: ignore[method-assign,assignment]
    with pytest.raises(IdentifierRefused, match="try again"):
        curated.rename(IDENTIFIER, "SK-C-5")
