"""What is damaged in the store is left alone for a while, and what is known of it is bounded."""

import pytest

from vitrine.deliver.pyramids.quarantine import MAX_OBJECTS, Quarantine
from vitrine.errors import DamagedAccessMaster


def held_objects(quarantine: Quarantine, number: int) -> int:
    count = 0
    for name in map(str, range(number)):
        try:
            quarantine.check(name, [0])
        except DamagedAccessMaster:
            count += 1
    return count


def test_a_damaged_part_is_left_alone_for_longer_each_time() -> None:
    now = 0.0
    quarantine = Quarantine(lambda: now)
    for pause in (0.5, 1.0, 2.0):
        quarantine.hold("a", [7])
        now += pause - 0.01
        quarantine.check("a", [8])
        with pytest.raises(DamagedAccessMaster):
            quarantine.check("a", [8, 7])
        now += 0.01
        quarantine.check("a", [7])


def test_no_more_objects_are_held_than_there_is_room_for() -> None:
    quarantine = Quarantine(lambda: 0.0)
    for name in map(str, range(MAX_OBJECTS)):
        quarantine.hold(name, [0])
    assert held_objects(quarantine, MAX_OBJECTS) == MAX_OBJECTS
    quarantine.hold(str(MAX_OBJECTS), [0])
    assert held_objects(quarantine, MAX_OBJECTS + 1) == 1
