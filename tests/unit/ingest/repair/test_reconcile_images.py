"""The reconciler: every image keeps its access master, and what nothing answers with expires."""

from dataclasses import replace

import pytest

from tests.unit.ingest.followed_masters import IDENTIFIER, FollowedMasters
from tests.unit.ingest.walked import LATER, walk_at
from vitrine.adapters.memory.faults import Breaking
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import Rejection
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.record_outcome import record_outcome
from vitrine.ingest.services import IngestServices
from vitrine.store.layout import SUPERSEDED_TAG


@pytest.fixture
def bed(services: IngestServices) -> FollowedMasters:
    return FollowedMasters(services)


def test_a_crash_between_publication_and_tag_is_made_good(bed: FollowedMasters) -> None:
    old = bed.publish_one(b"1")
    bed.upload(b"2")
    bed.event()
    [request] = bed.started()
    broken = Breaking(bed.services.access_masters, times=1, methods=frozenset({"tag"}))
    cut = FollowedMasters(replace(bed.services, access_masters=broken))
    cut.publish(bed.convert(request))
    assert bed.superseded() == set()
    assert walk_at(bed) == {"masters": 1, "access_masters": 2}
    assert walk_at(bed, LATER) == {"masters": 1, "access_masters": 2, "superseded": 1}
    assert bed.superseded() == {old.access_master_key}
    assert walk_at(bed, LATER) == {"masters": 1, "access_masters": 2}


def test_a_live_access_master_loses_its_tag(bed: FollowedMasters) -> None:
    image = bed.publish_one()
    bed.services.access_masters.tag(image.access_master_key, SUPERSEDED_TAG)
    assert walk_at(bed)["kept"] == 1
    assert bed.superseded() == set()


def test_an_image_whose_access_master_was_deleted_gets_another(bed: FollowedMasters) -> None:
    image = bed.publish_one()
    store = bed.services.access_masters
    assert isinstance(store, MemoryObjectStore)
    store.delete(image.access_master_key)
    assert walk_at(bed)["restarted"] == 1
    bed.run()
    assert store.head(image.access_master_key).size == 1
    assert bed.services.identifiers.get(IDENTIFIER) == image
    assert (bed.state(), "restarted" in walk_at(bed)) == ("published", False)
    store.delete(image.access_master_key)
    assert walk_at(bed)["restarted"] == 1, "once more, should it be needed"


def test_a_superseded_access_master_that_expired_is_not_missed(bed: FollowedMasters) -> None:
    image = bed.publish_one(b"1")
    bed.publish_one(b"2")
    assert isinstance(bed.services.access_masters, MemoryObjectStore)
    bed.services.access_masters.delete(image.access_master_key)
    assert "restarted" not in walk_at(bed)


def test_a_lost_table_costs_no_image(bed: FollowedMasters) -> None:
    bed.publish_one()
    bed.publish_one(key="b.tif")
    bed = FollowedMasters(replace(bed.services, identifiers=MemoryIdentifierTable()))
    walk_at(bed, LATER)
    assert bed.superseded() == set()


def test_a_lost_table_and_a_lost_journal_cost_no_image(bed: FollowedMasters) -> None:
    bed.publish_one()
    lost = replace(bed.services, identifiers=MemoryIdentifierTable(), records=MemoryObjectStore())
    bed = FollowedMasters(lost)
    walk_at(bed, LATER)
    assert bed.superseded() == set()


def test_what_was_converted_and_never_published_expires(bed: FollowedMasters) -> None:
    bed.publish_one(key="b.tif")
    bed.upload()
    bed.event()
    [request] = bed.started()
    made = bed.convert(request)
    bed.upload(b"no image")
    [newer] = _started_by_event(bed, but=request.execution)
    record_outcome(bed.services, newer, "rejected", Rejection("not-an-image", "It is none."))
    assert walk_at(bed) == {"masters": 2, "access_masters": 2}
    assert walk_at(bed, LATER) == {"masters": 2, "access_masters": 2, "superseded": 1}
    assert bed.superseded() == {made.access_master_key}
    assert walk_at(bed, LATER) == {"masters": 2, "access_masters": 2}


def _started_by_event(bed: FollowedMasters, but: str) -> list[IngestMaster]:
    bed.event()
    return [request for request in bed.started() if request.execution != but]
