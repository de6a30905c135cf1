"""What a curator withdrew or redirected is not taken by an upload, however it comes about."""

import pytest

from tests.unit.ingest.followed_masters import IDENTIFIER, KEY, FollowedMasters
from tests.unit.ingest.walked import walk
from vitrine.ingest.publish.curation import Curation
from vitrine.records import Live, Redirect


@pytest.fixture
def curation(followed: FollowedMasters) -> Curation:
    services = followed.services
    return Curation(
        register=services.register, masters=services.masters, outcomes=services.outcomes
    )


@pytest.mark.parametrize("body", [b"1", b"2"])
def test_no_upload_brings_back_what_a_curator_withdrew(
    followed: FollowedMasters, curation: Curation, body: bytes
) -> None:
    """Neither the same bytes, as of a nightly synchronisation, nor others; until it is restored."""
    followed.publish_one()
    curation.withdraw(IDENTIFIER, "Rights ended.")
    for _ in range(2):
        followed.upload(body)
        followed.event()
        followed.run()
        assert (followed.answer(), followed.state()) == ("gone", "rejected")
    outcome = followed.services.outcomes.get(KEY)
    assert outcome is not None
    assert outcome.code == "identifier-withdrawn"
    curation.restore(IDENTIFIER)
    followed.event()
    followed.run()
    assert followed.answer() == "live"


def test_another_file_of_the_same_name_does_not_take_a_withdrawn_address(
    followed: FollowedMasters, curation: Curation
) -> None:
    followed.publish_one()
    curation.withdraw(IDENTIFIER, "Rights ended.")
    followed.upload(b"other", "b/nachtwache.jpg")
    followed.event("b/nachtwache.jpg")
    followed.run()
    assert (followed.answer(), followed.state("b/nachtwache.jpg")) == ("gone", "rejected")


def test_a_conversion_in_progress_does_not_end_a_withdrawal(
    followed: FollowedMasters, curation: Curation
) -> None:
    """Slow, redriven, or started again by the reconciler after a crash."""
    followed.publish_one()
    followed.upload(b"2")
    followed.event()
    curation.withdraw(IDENTIFIER, "Rights ended.")
    walk(followed)
    assert len(followed.started()) == 2, "the reconciler took the first for lost"
    followed.run()
    assert (followed.answer(), followed.state()) == ("gone", "rejected")


def test_a_rename_in_progress_does_not_bring_a_withdrawn_image_back(
    followed: FollowedMasters, curation: Curation
) -> None:
    followed.publish_one()
    curation.rename(IDENTIFIER, "SK-C-5")
    followed.event()
    curation.withdraw(IDENTIFIER, "Rights ended.")
    followed.run()
    assert (followed.answer(), followed.answer("SK-C-5")) == ("gone", "")


def test_a_second_withdrawal_ends_a_restoration_in_progress(
    followed: FollowedMasters, curation: Curation
) -> None:
    followed.publish_one()
    curation.withdraw(IDENTIFIER, "Rights ended.")
    curation.restore(IDENTIFIER)
    followed.event()
    curation.withdraw(IDENTIFIER, "Rights ended.")
    followed.run()
    assert (followed.answer(), followed.state()) == ("gone", "rejected")


def test_a_previous_identifier_is_not_taken_by_another_picture(
    followed: FollowedMasters, curation: Curation
) -> None:
    """Unless that is asked for by name, with the redirect as it is at that moment."""
    followed.publish_one()
    curation.rename(IDENTIFIER, "SK-C-5")
    followed.event()
    followed.run()
    key = "b/nachtwache.jpg"
    followed.upload(b"other", key)
    followed.event(key)
    followed.run()
    outcome = followed.services.outcomes.get(key)
    assert outcome is not None
    assert outcome.code == "identifier-redirects"
    redirect = followed.services.identifiers.get(IDENTIFIER)
    assert isinstance(redirect, Redirect)
    permission = curation.permit_upload(key, IDENTIFIER, replace_redirect=True)
    metadata = permission | {"identifier": IDENTIFIER}
    followed.masters.put(key, b"other", content_type="image/jpeg", metadata=metadata)
    followed.event(key)
    followed.run()
    image = followed.services.identifiers.get(IDENTIFIER)
    assert isinstance(image, Live)
    assert image.master_key == key
