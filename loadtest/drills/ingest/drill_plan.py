"""The plan of the curators in a drill: the same for the same number and seed."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from loadtest.drills.ingest.drill_masters import Broken, Master, make_broken, make_picture

FOLDER = "an empty folder/"
"""A key that only stands for a folder: nothing may come of it."""
KEY_BYTES = 1_024
"""The longest key that S3 takes."""
GAP = 12
"""Number of other masters before a second thought about one comes, at least."""


@dataclass(frozen=True, kw_only=True)
class Act:
    """Upload `master` under the key; without a master, delete the object of that key."""

    key: str
    master: Master


@dataclass(frozen=True, kw_only=True)
class ActGroup:
    """Acts about one key, one straight after the other.

    `patient`: the curator first waits for the outcome of the master.
    """

    acts: tuple[Act, ...]
    patient: bool = False

    @property
    def key(self) -> str:
        """Key of the master that the acts are about."""
        return self.acts[0].key


@dataclass(frozen=True, kw_only=True)
class DrillPlan:
    """Groups in their order. `roles` says of each key what is done to it."""

    groups: tuple[ActGroup, ...]
    roles: dict[str, str]


def _image_name(number: int) -> str:
    return f"image {number:04}.tif"


def _longest_key(number: int) -> str:
    end = f"/image {number:04}.tif"
    return "long/" * ((KEY_BYTES - len(end)) // 5) + "o" * ((KEY_BYTES - len(end)) % 5) + end


_FOLDER = ActGroup(acts=(Act(key=FOLDER, master=Broken(body=b"", kind="folder")),))

_ODD: tuple[Callable[[int], str], ...] = (
    lambda number: f"Depot 7/Rollei & Söhne/Bild {number} „Nachtwache“.tif",
    lambda number: f"100 % wool/carpet%20{number}.jpg",
    lambda number: f"葛飾北斎/神奈川沖浪裏 {number}.png",
    lambda number: f"scan.{number}.final.tif.tif",
    lambda number: f"a+b=c/plus+{number}?&#;.tif",
    lambda number: f"no-extension-{number}",
    lambda number: f"//double//slash//{number} x.tif",
    lambda number: f"wrong-type/photograph-{number}.txt",
    _longest_key,
)

_BROKEN, _TWICE, _CHANGED, _SAME = "broken", "twice in a second", "changed later", "same again"
_DELETED, _REVIVED, _SPOILED, _MENDED = "deleted", "revived", "spoiled later", "mended later"
ORDINARY = "uploaded once"
SHARES = {
    _BROKEN: 0.03,
    _TWICE: 0.05,
    _CHANGED: 0.04,
    _SAME: 0.03,
    _DELETED: 0.03,
    _REVIVED: 0.02,
    _SPOILED: 0.01,
    _MENDED: 0.01,
}
"""Shares of all masters, at least one each. The others are uploaded once."""
_ODD_KEYS = 0.1
_PATIENT = 0.5
"""Share of changes of mind that wait; the others meet the pipeline at any point of its work."""


def make_plan(masters: int, seed: int) -> DrillPlan:
    """`masters` keys, at least twice as many as there are roles. Raises ValueError for fewer."""
    if masters < len(SHARES):
        raise ValueError(f"a drill needs at least {len(SHARES)} masters")
    chance = random.Random(f"plan {seed}")
    numbers = list(range(masters))
    chance.shuffle(numbers)
    odd = chance.sample(numbers, max(2, round(masters * _ODD_KEYS)))
    forms = {number: _ODD[place % len(_ODD)] for place, number in enumerate(odd)}
    roles: dict[str, str] = {}
    made: list[list[ActGroup]] = []
    counted = iter(_count_roles(masters))
    for number in numbers:
        role = next(counted, ORDINARY)
        key = forms.get(number, _image_name)(number)
        roles[key] = role
        made.append(_make_groups(role, key, seed * 1_000_000 + number, chance))
    chance.shuffle(made)
    return DrillPlan(groups=(_FOLDER, *_merge_groups(made, chance)), roles=roles)


def _count_roles(masters: int) -> Iterator[str]:
    for role, share in SHARES.items():
        yield from [role] * max(1, round(masters * share))


def _make_groups(role: str, key: str, number: int, chance: random.Random) -> list[ActGroup]:
    first, second = partial(make_picture, number), partial(make_picture, -1 - number)
    bad = partial(make_broken, number)
    steps: dict[str, list[list[Callable[[], Master]]]] = {
        _BROKEN: [[bad]],
        _TWICE: [[first, second]],
        _CHANGED: [[first], [second]],
        _SAME: [[first], [first]],
        _DELETED: [[first], [_do_nothing]],
        _REVIVED: [[first], [_do_nothing], [second]],
        _SPOILED: [[first], [bad]],
        _MENDED: [[bad], [first]],
        ORDINARY: [[first]],
    }
    return [
        ActGroup(
            acts=tuple(Act(key=key, master=make()) for make in group),
            patient=position == 1 and chance.random() < _PATIENT,
        )
        for position, group in enumerate(steps[role])
    ]


def _do_nothing() -> None:
    return None


def _merge_groups(made: Sequence[list[ActGroup]], chance: random.Random) -> list[ActGroup]:
    """First thoughts in their order, second and third ones somewhere behind."""
    placed: list[tuple[float, ActGroup]] = []
    for start, groups in enumerate(made):
        place = float(start)
        for group in groups:
            placed.append((place, group))
            place = chance.uniform(place + GAP, max(place + 2 * GAP, len(made) * 1.1))
    return [group for _, group in sorted(placed, key=lambda item: item[0])]
