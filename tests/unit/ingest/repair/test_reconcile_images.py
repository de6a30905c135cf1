"""The reconciler: every image keeps its access master, and what nothing answers with expires."""

from dataclasses import replace

from tests.unit.ingest.followed_masters import IDENTIFIER, FollowedMasters
from tests.unit.ingest.walked import LATER, walk_at
from vitrine.adapters.memory.faults import Breaking
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import Rejection
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.record_outcome import record_outcome
from vitrine.records import Live
from vitrine.store.layout import SUPERSEDED_TAG


def test_a_crash_between_publication_and_tag_is_made_good(followed: FollowedMasters) -> None:
    old = followed.publish_one(b"1")
    followed.upload(b"2")
    followed.event()
    [request] = followed.started()
    broken = Breaking(followed.services.access_masters, times=1, methods=frozenset({"tag"}))
    cut = FollowedMasters(replace(followed.services, access_masters=broken))
    cut.publish(followed.convert(request))
    assert followed.superseded() == set()
    assert walk_at(followed) == {"masters": 1, "access_masters": 2}
    assert walk_at(followed, LATER) == {"masters": 1, "access_masters": 2, "superseded": 1}
    assert followed.superseded() == {old.access_master_key}
    assert walk_at(followed, LATER) == {"masters": 1, "access_masters": 2}


def test_a_live_access_master_loses_its_tag(followed: FollowedMasters) -> None:
    image = followed.publish_one()
    followed.services.access_masters.tag(image.access_master_key, SUPERSEDED_TAG)
    assert walk_at(followed)["kept"] == 1
    assert followed.superseded() == set()


def test_an_image_whose_access_master_was_deleted_gets_another(followed: FollowedMasters) -> None:
    image = followed.publish_one()
    store = followed.services.access_masters
    assert isinstance(store, MemoryObjectStore)
    store.delete(image.access_master_key)
    assert walk_at(followed)["restarted"] == 1
    followed.run()
    assert store.head(image.access_master_key).size == 1
    assert followed.services.identifiers.get(IDENTIFIER) == image
    assert (followed.state(), "restarted" in walk_at(followed)) == ("published", False)
    store.delete(image.access_master_key)
    assert walk_at(followed)["restarted"] == 1, "once more, should it be needed"


def test_after_the_loss_of_their_bucket_all_access_masters_are_made_again_if_asked_for(
    followed: FollowedMasters,
) -> None:
    images = [followed.publish_one(key=key) for key in ("a.tif", "b.tif")]
    store = MemoryObjectStore()
    lost = FollowedMasters(replace(followed.services, access_masters=store))
    assert "restarted" not in walk_at(lost), "nothing is listed of what is lost"
    assert walk_at(lost, asks_for_access_masters=True)["restarted"] == 2
    lost.run()
    for image in images:
        assert store.head(image.access_master_key).size == 1
        assert lost.services.identifiers.get(image.identifier) == image
    assert "restarted" not in walk_at(lost, asks_for_access_masters=True)


def test_images_of_an_older_edition_are_converted_again_if_asked_for_and_stay_meanwhile(
    followed: FollowedMasters,
) -> None:
    images = [followed.publish_one(key=key) for key in ("a.tif", "b.tif")]
    recipe = replace(followed.services.recipe, revision=followed.services.recipe.revision + 1)
    newer = FollowedMasters(replace(followed.services, recipe=recipe))
    newer.ran = followed.ran
    assert "renewed" not in walk_at(newer, asks_for_access_masters=True)
    assert walk_at(newer, renews_access_masters=True, dry_run=True)["renewed"] == 2
    assert newer.started() == []
    assert walk_at(newer, renews_access_masters=True)["renewed"] == 2
    for image in images:
        assert newer.services.identifiers.get(image.identifier) == image
    newer.run()
    for image in images:
        now = newer.services.identifiers.get(image.identifier)
        assert isinstance(now, Live)
        assert now.version != image.version
        assert now.master_version == image.master_version
        info = newer.services.access_masters.head(now.access_master_key)
        assert info.metadata["recipe"] == recipe.label
    assert "renewed" not in walk_at(newer, renews_access_masters=True), "a second run does nothing"


def test_a_superseded_access_master_that_expired_is_not_missed(followed: FollowedMasters) -> None:
    image = followed.publish_one(b"1")
    followed.publish_one(b"2")
    assert isinstance(followed.services.access_masters, MemoryObjectStore)
    followed.services.access_masters.delete(image.access_master_key)
    assert "restarted" not in walk_at(followed)


def test_a_lost_table_costs_no_image(followed: FollowedMasters) -> None:
    followed.publish_one()
    followed.publish_one(key="b.tif")
    followed = FollowedMasters(replace(followed.services, identifiers=MemoryIdentifierTable()))
    walk_at(followed, LATER)
    assert followed.superseded() == set()


def test_a_lost_table_and_a_lost_journal_cost_no_image(followed: FollowedMasters) -> None:
    followed.publish_one()
    lost = replace(
        followed.services, identifiers=MemoryIdentifierTable(), records=MemoryObjectStore()
    )
    followed = FollowedMasters(lost)
    walk_at(followed, LATER)
    assert followed.superseded() == set()


def test_what_was_converted_and_never_published_expires(followed: FollowedMasters) -> None:
    followed.publish_one(key="b.tif")
    followed.upload()
    followed.event()
    [request] = followed.started()
    made = followed.convert(request)
    followed.upload(b"no image")
    [newer] = _started_by_event(followed, but=request.execution)
    record_outcome(
        followed.services, newer, "rejected", Rejection("not-an-image", "It is not an image.")
    )
    assert walk_at(followed) == {"masters": 2, "access_masters": 2}
    assert walk_at(followed, LATER) == {"masters": 2, "access_masters": 2, "superseded": 1}
    assert followed.superseded() == {made.access_master_key}
    assert walk_at(followed, LATER) == {"masters": 2, "access_masters": 2}


def _started_by_event(followed: FollowedMasters, but: str) -> list[IngestMaster]:
    followed.event()
    return [request for request in followed.started() if request.execution != but]
