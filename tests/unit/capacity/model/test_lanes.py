"""A simulated task refuses by price what the gateway refuses by price."""

from capacity.engine.clock import SECOND, Clock
from capacity.model.cost_profile import CostProfile
from capacity.model.design import Design
from capacity.model.lanes import Lanes
from capacity.model.request_demand import Reader, RequestDemand
from loadtest.workload.catalogue import Image
from loadtest.workload.target import Target, whole_target
from vitrine.deliver.answer.budgets import MAX_GIVING_WAY

DESIGN = Design(vcpus=1, memory_gibibytes=4, cache_gibibytes=15, minimum=1, maximum=1)
READER = Reader(CostProfile.default(), DESIGN)
IMAGE = Image("1", 6_000, 4_000)
LAYOUT = READER.layout(IMAGE)


def full_size(number: int) -> RequestDemand:
    """A region that no other number asks for, at full size."""
    width, height = IMAGE.width - number, IMAGE.height
    return READER.read(Target("full", "", IMAGE, (number, 0, width, height), width, height))


def test_full_sizes_are_refused_when_the_wait_is_longer_than_their_turn() -> None:
    lanes = Lanes(Clock(), cores=1, processes=1)
    admitted = [lanes.admit(full_size(number), LAYOUT, 0) for number in range(MAX_GIVING_WAY)]
    assert admitted[0]
    assert not admitted[-1]
    # 60 megapixels of work are 0.4 s, and a render that would wait for more than 25 s is refused.
    assert 60 <= sum(admitted) <= 65


def test_a_cold_full_size_gives_way_before_one_that_is_on_disk() -> None:
    lanes = Lanes(Clock(), cores=1, processes=1)
    while lanes.admit(full_size(len(lanes._under_way)), LAYOUT, None):
        pass
    assert lanes.admit(full_size(1_000), LAYOUT, 0)


def test_listed_sizes_and_thumbnails_of_cold_images_are_never_refused() -> None:
    lanes = Lanes(Clock(), cores=1, processes=1)
    while lanes.admit(full_size(len(lanes._under_way)), LAYOUT, 0):
        pass
    listed = IMAGE.levels[1]
    target = Target("listed", "", IMAGE, (0, 0, IMAGE.width, IMAGE.height), *listed)
    assert lanes.admit(READER.read(target), LAYOUT, None)
    assert lanes.admit(READER.read(whole_target(IMAGE, 200)), LAYOUT, None)


def test_what_was_given_up_makes_room_and_counts_as_nothing_done() -> None:
    clock = Clock()
    lanes = Lanes(clock, cores=1, processes=1)
    number = 0
    while lanes.admit(full_size(number), LAYOUT, 0):
        number += 1
    for done in range(number):
        lanes.end(full_size(done), done=False)
    clock.run(until=10 * SECOND)
    assert lanes.admit(full_size(number), LAYOUT, 0)


def test_each_process_has_lanes_of_its_own() -> None:
    lanes = Lanes(Clock(), cores=1, processes=2)
    while lanes.admit(full_size(len(lanes._under_way)), LAYOUT, 0):
        pass
    other = READER.read(
        Target("full", "", Image("2", 6_000, 4_000), (0, 0, 6_000, 4_000), 6_000, 4_000)
    )
    moved = other._replace(key=7, target=full_size(0).target)
    assert lanes.admit(moved, LAYOUT, 0)
