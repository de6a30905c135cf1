"""What a curator withdraws stays withdrawn, until a curator says otherwise."""

import pytest

from tests.unit.ingest.followed_masters import IDENTIFIER, KEY, FollowedMasters
from tests.unit.ingest.walked import walk
from vitrine.errors import IdentifierRefused
from vitrine.identify.redirects.redirects import Redirects
from vitrine.ingest.publish.curation import Curation
from vitrine.ingest.record_outcome import record_rejection
from vitrine.ingest.rejections import damaged_file
from vitrine.records import Gone, Live, Redirect, state


@pytest.fixture
def curation(followed: FollowedMasters) -> Curation:
    services = followed.services
    return Curation(
        register=services.register, masters=services.masters, outcomes=services.outcomes
    )


def test_the_reconciler_leaves_a_curators_tombstone_alone(
    followed: FollowedMasters, curation: Curation
) -> None:
    """Its access master, which nothing answers with any more, may expire; nothing else is done."""
    image = followed.publish_one()
    curation.withdraw(IDENTIFIER, "Rights ended.")
    for superseded in (1, 0):
        found = {"masters": 1, "access_masters": 1, "superseded": superseded}
        assert walk(followed) == {name: count for name, count in found.items() if count}
    assert followed.event() is not None, "a repeated event of the upload"
    assert followed.started() == []
    assert followed.answer() == "gone"
    assert followed.superseded() == {image.access_master_key}


def test_a_restoration_ingests_the_master_once_more(
    followed: FollowedMasters, curation: Curation
) -> None:
    image = followed.publish_one()
    curation.withdraw(IDENTIFIER, "Rights ended.")
    walk(followed)
    curation.restore(IDENTIFIER)
    followed.event()
    followed.run()
    assert followed.answer() == "live"
    assert followed.superseded() == set()
    assert walk(followed) == {"masters": 1, "access_masters": 1}
    assert followed.services.identifiers.get(IDENTIFIER) != image


def test_what_is_live_as_something_else_is_not_called_restored(
    followed: FollowedMasters, curation: Curation, withdrawn: Gone
) -> None:
    curation.rename(IDENTIFIER, OTHER, replace_withdrawn=True)
    followed.event()
    followed.run()
    with pytest.raises(IdentifierRefused, match=f'shows the master "{KEY}"') as refused:
        curation.restore(OTHER)
    assert refused.value.code == "another-image"


def test_a_rename_that_ends_rejected_leaves_nothing_that_happens_later(
    followed: FollowedMasters, curation: Curation
) -> None:
    followed.publish_one()
    followed.upload(b"damaged")
    curation.rename(IDENTIFIER, OTHER)
    followed.event()
    [rename] = followed.started()
    followed.ran.add(rename.execution)
    reason = damaged_file("its end is missing").rejection
    record_rejection(followed.services, rename, reason)
    followed.upload(b"mended")
    followed.event()
    followed.run()
    assert (followed.answer(), followed.answer(OTHER)) == ("live", "")


def test_a_redirect_that_is_removed_gives_the_tombstone_back_that_it_replaced(
    followed: FollowedMasters, curation: Curation, withdrawn: Gone
) -> None:
    redirects = Redirects(followed.services.register)
    redirects.add(OTHER, IDENTIFIER, replace_withdrawn=True)
    redirects.remove(OTHER)
    tombstone = followed.services.identifiers.get(OTHER)
    assert isinstance(tombstone, Gone)
    assert (tombstone.reason, tombstone.changed_at) == (withdrawn.reason, withdrawn.changed_at)


def test_a_master_that_is_deleted_after_its_image_leaves_the_curator_s_reason(
    followed: FollowedMasters, curation: Curation
) -> None:
    followed.publish_one()
    curation.withdraw(IDENTIFIER, "Rights ended.")
    followed.masters.delete(KEY)
    followed.event()
    followed.grace_ends()
    tombstone = followed.services.identifiers.get(IDENTIFIER)
    assert isinstance(tombstone, Gone)
    assert tombstone.reason == "Rights ended."
    with pytest.raises(IdentifierRefused, match="Upload it again"):
        curation.restore(IDENTIFIER)


def test_another_reason_takes_the_place_of_the_first(
    followed: FollowedMasters, curation: Curation
) -> None:
    followed.publish_one()
    for reason in ("Rights ended.", "Sold."):
        assert curation.withdraw(IDENTIFIER, reason).made
    assert [name for name in followed.events() if name == "ImageWithdrawn"] == ["ImageWithdrawn"]


OTHER, OTHERS_KEY = "SK-C-5", "b/SK-C-5.tif"


@pytest.fixture
def withdrawn(followed: FollowedMasters, curation: Curation) -> Gone:
    """The tombstone of another master's image, next to a live image."""
    followed.publish_one()
    followed.publish_one(b"other", OTHERS_KEY)
    tombstone = curation.withdraw(OTHER, "Rights ended.").after
    assert isinstance(tombstone, Gone)
    return tombstone


def test_a_withdrawn_image_keeps_its_name_and_can_be_restored(
    followed: FollowedMasters, curation: Curation, withdrawn: Gone
) -> None:
    with pytest.raises(IdentifierRefused, match="--replace-withdrawn") as refused:
        curation.rename(IDENTIFIER, OTHER)
    assert refused.value.code == "withdrawn-image"
    assert followed.services.identifiers.get(OTHER) == withdrawn
    curation.restore(OTHER)
    followed.event(OTHERS_KEY)
    followed.run()
    assert (followed.answer(), followed.answer(OTHER)) == ("live", "live")


def test_a_withdrawn_image_gives_its_name_away_when_that_is_said(
    followed: FollowedMasters, curation: Curation, withdrawn: Gone
) -> None:
    """The table can be rebuilt from what the journal holds as well."""
    curation.rename(IDENTIFIER, OTHER, replace_withdrawn=True)
    followed.event()
    followed.run()
    image = followed.services.identifiers.get(OTHER)
    assert isinstance(image, Live)
    assert image.master_key == KEY
    assert isinstance(followed.services.identifiers.get(IDENTIFIER), Redirect)
    journal = followed.services.register.journal
    assert [state(record) for record in journal.history(OTHER)] == ["live", "gone", "live"]
    assert journal.latest(OTHER) == image


def test_an_image_that_is_withdrawn_during_a_rename_keeps_its_name(
    followed: FollowedMasters, curation: Curation
) -> None:
    """The name was free when the curator asked: it is the publication that says no."""
    followed.publish_one()
    curation.rename(IDENTIFIER, OTHER)
    followed.event()
    [rename] = followed.started()
    followed.ran.add(rename.execution)
    converted = followed.convert(rename)
    followed.publish_one(b"other", OTHERS_KEY)
    curation.withdraw(OTHER, "Rights ended.")
    assert followed.publish(converted) == "identifier-withdrawn"
    assert (followed.answer(), followed.answer(OTHER)) == ("live", "gone")
    assert followed.state() == "rejected"


def test_a_withdrawn_image_gets_another_name_and_its_first_when_that_is_said(
    followed: FollowedMasters, curation: Curation
) -> None:
    followed.publish_one()
    curation.withdraw(IDENTIFIER, "Rights ended.")
    permission = curation.permit_upload(KEY, OTHER, replace_withdrawn=True)
    metadata = permission | {"identifier": OTHER}
    followed.masters.put(KEY, b"2", content_type="image/tiff", metadata=metadata)
    followed.event()
    followed.run()
    assert (followed.answer(), followed.answer(OTHER)) == ("gone", "live")
    curation.rename(OTHER, IDENTIFIER, replace_withdrawn=True)
    followed.event()
    followed.run()
    assert followed.answer() == "live"


def test_a_name_that_was_given_to_a_redirect_can_be_restored_once_that_is_taken_back(
    followed: FollowedMasters, curation: Curation, withdrawn: Gone
) -> None:
    redirects = Redirects(followed.services.register)
    redirects.add(OTHER, IDENTIFIER, replace_withdrawn=True)
    with pytest.raises(IdentifierRefused, match="vitrine redirects remove"):
        curation.restore(OTHER)
    redirects.remove(OTHER)
    curation.restore(OTHER)
    followed.event(OTHERS_KEY)
    followed.run()
    assert followed.answer(OTHER) == "live"


def test_a_master_that_is_replaced_while_it_is_renamed_is_not_taken_for_the_other(
    followed: FollowedMasters, curation: Curation
) -> None:
    """The copy is of the bytes that were looked at, or of none."""
    followed.publish_one()
    head = followed.masters.head

    def replaced_meanwhile(key: str) -> object:
        info = head(key)
        followed.upload(b"2")
        return info

    followed.masters.head = replaced_meanwhile  # type: ignore[method-assign,assignment]
    with pytest.raises(IdentifierRefused, match="try again"):
        curation.rename(IDENTIFIER, "SK-C-5")
