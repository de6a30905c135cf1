"""What curators do in a drill."""

from collections import Counter

import pytest

from loadtest.drills.ingest.drill_masters import (
    BROKEN,
    Broken,
    DrillPicture,
    make_broken,
    make_picture,
)
from loadtest.drills.ingest.drill_plan import (
    FOLDER,
    KEY_BYTES,
    ORDINARY,
    SHARES,
    DrillPlan,
    make_plan,
)
from vitrine.identify.identifier import normalise_identifier
from vitrine.store.layout import key_stem

MASTERS = 200


@pytest.fixture(scope="module")
def plan() -> DrillPlan:
    return make_plan(MASTERS, 1)


def test_there_are_the_chosen_masters_and_one_folder(plan: DrillPlan) -> None:
    keys = {group.key for group in plan.groups}
    assert len(plan.roles) == MASTERS
    assert keys == {*plan.roles, FOLDER}


def test_each_has_an_identifier_of_its_own(plan: DrillPlan) -> None:
    identifiers = {normalise_identifier(key_stem(key)) for key in plan.roles}
    assert len(identifiers) == MASTERS


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


def test_the_same_seed_plans_the_same_and_another_something_else() -> None:
    assert make_plan(20, 1) == make_plan(20, 1)
    assert make_plan(20, 1) != make_plan(20, 2)


def test_too_few_masters_for_all_roles_are_refused() -> None:
    with pytest.raises(ValueError, match="at least"):
        make_plan(len(SHARES) - 1, 1)


def test_no_two_pictures_are_alike() -> None:
    made = [make_picture(number) for number in range(-25, 25)]
    assert len({one.sha256 for one in made}) == len(made)
    assert len({one.colours for one in made}) == len(made)


def test_broken_masters_take_turns() -> None:
    assert [make_broken(number).kind for number in range(len(BROKEN))] == list(BROKEN)
