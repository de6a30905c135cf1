"""What curators do in a drill."""

from collections import Counter

import pytest

from loadtest.drills.ingest.drill_masters import (
    Broken,
    DrillPicture,
)
from loadtest.drills.ingest.drill_plan import (
    KEY_BYTES,
    ORDINARY,
    SHARES,
    DrillPlan,
    make_plan,
)

MASTERS = 200


@pytest.fixture(scope="module")
def plan() -> DrillPlan:
    return make_plan(MASTERS, 1)


def test_every_role_is_played(plan: DrillPlan) -> None:
    counts = Counter(plan.roles.values())
    assert set(counts) == {*SHARES, ORDINARY}
    assert counts["broken"] == MASTERS * 0.03


def test_some_keys_are_odd(plan: DrillPlan) -> None:
    keys = "".join(plan.roles)
    assert {" ", "%", "+", "?", "#", "/", "ö", "葛"} <= set(keys)
    assert max(len(key.encode()) for key in plan.roles) == KEY_BYTES
    assert any(key.startswith("/") for key in plan.roles)


def test_what_is_done_to_a_master_comes_in_its_order(plan: DrillPlan) -> None:
    acts: dict[str, list[object]] = {key: [] for key in plan.roles}
    for group in plan.groups[1:]:
        acts[group.key] += [act.master for act in group.acts]
    by_role = {role: acts[key] for key, role in plan.roles.items()}
    kinds = {role: [type(master) for master in done] for role, done in by_role.items()}
    assert kinds["revived"] == [DrillPicture, type(None), DrillPicture]
    assert kinds["spoiled later"] == [DrillPicture, Broken]
    assert by_role["same again"][0] == by_role["same again"][1]
    assert by_role["twice in a second"][0] != by_role["twice in a second"][1]
