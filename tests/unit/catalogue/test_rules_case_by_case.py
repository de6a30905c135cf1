"""Rules of access in cases of which each once opened an image, and between any two writes."""

import random
from contextlib import suppress
from itertools import count, pairwise

import pytest

from tests.unit.catalogue.rules_museum import IMAGES
from tests.unit.catalogue.rules_world import RulesWorld, run_world
from vitrine.access.rules import strictest
from vitrine.errors import RevisionChanged, TransientError
from vitrine.identify.effective_rule import has_own_rule

pytestmark = pytest.mark.slow

Step = tuple[object, ...]
"""A command, or `see` with images and their rules, as in `one closed two open`."""


def renamed(names: str, times: int) -> list[Step]:
    """Return renames from `name-0` to the last name."""
    called = [f"{names}-{number}" for number in range(times + 1)]
    return [("rename", *both) for both in pairwise(called)]


def nested(depth: int) -> list[Step]:
    """Return collections of which `list-0` is the outermost; the innermost has the letter."""
    members = ["letter", *(f"list-{number}" for number in reversed(range(1, depth)))]
    return [
        ("put_collection", f"list-{depth - 1 - place}", [member], "")
        for place, member in enumerate(members)
    ]


LETTER: Step = ("put_object", "letter", ["one"])
BOOK: Step = ("put_object", "book", ["two"])
CLOSED: Step = ("put_collection", "shelf", ["letter"], "closed")
EMPTY: Step = ("put_collection", "shelf", [], "")
BOX: Step = ("put_collection", "box", ["letter"], "")
CLOSED_BOX: Step = ("put_collection", "shelf", ["box"], "closed")
OPENS: Step = ("set_rule", "shelf", "open")
COMES: list[Step] = [("put_object", "letter", ["four"]), CLOSED]
"""A closed list of an image that is yet to come."""
CASES: dict[str, list[Step]] = {
    "thirty lists deep": [
        *(LETTER, *nested(30), ("set_rule", "list-0", "closed"), ("see", "one closed")),
        *(("set_rule", "list-0", "open"), ("see", "one open")),
    ],
    "rights that differ": [
        *(LETTER, ("put_collection", "box", ["letter"], "curators")),
        *(("put_collection", "shelf", ["box"], "staff"), ("see", "one closed")),
        *(("set_rule", "box", "open"), ("see", "one staff")),
    ],
    "two ways in, of which one ends": [
        *(LETTER, BOX, ("put_collection", "rack", ["letter"], "")),
        *(("put_collection", "shelf", ["box", "rack"], "closed"), ("withdraw", "box")),
        *(("see", "one closed"), OPENS, ("see", "one open")),
    ],
    "an inner list joins another and leaves": [
        *(LETTER, BOX, CLOSED_BOX, ("put_collection", "rack", ["box"], "open"), EMPTY),
        *(("see", "one closed"), OPENS, ("see", "one closed")),
        *(("give_back", "one"), ("see", "one open")),
    ],
    "an inner list leaves and joins another": [
        *(LETTER, BOX, CLOSED_BOX, EMPTY, ("put_collection", "rack", ["box"], "open")),
        ("see", "one closed"),
    ],
    "an inner list gets into a closed one": [
        *(LETTER, BOX, ("put_collection", "rack", ["box"], "open"), CLOSED_BOX),
        *(("withdraw", "rack"), ("see", "one closed"), OPENS, ("see", "one open")),
    ],
    "an inner list is withdrawn, and the outer one opens": [
        *(LETTER, BOX, CLOSED_BOX, ("withdraw", "box"), OPENS, ("see", "one closed")),
    ],
    "an inner list is renamed, and its object gets an image": [
        *(LETTER, ("put_collection", "list-0", ["letter"], "")),
        *(("put_collection", "shelf", ["list-0"], "closed"), *renamed("list", 3)),
        *(("put_object", "letter", ["one", "two"]), ("see", "one closed two closed")),
        *(OPENS, ("see", "one open two open")),
    ],
    "an outer list is renamed and then closed": [
        *(LETTER, BOX, ("put_collection", "shelf", ["box"], ""), ("rename", "shelf", "rack")),
        *(("set_rule", "rack", "closed"), ("see", "one closed")),
    ],
    "an object renamed twenty times": [
        *(("put_object", "name-0", ["one"]), ("put_collection", "shelf", ["name-0"], "")),
        *(*renamed("name", 20), ("set_rule", "shelf", "closed"), ("see", "one closed")),
    ],
    "a list renamed twelve times is named by an object": [
        *(("put_collection", "name-0", [], "closed"), *renamed("name", 12)),
        *(("put_object", "letter", ["one"], "", ("name-0",)), ("see", "one closed")),
    ],
    "an object names a list that is yet to come": [
        ("put_object", "letter", ["one"], "", ("shelf",)),
        *(("put_collection", "shelf", [], "closed"), ("see", "one closed")),
        *(OPENS, ("see", "one open")),
    ],
    "an object names a list no longer": [
        *(("put_collection", "shelf", [], "closed"), ("put_object", "letter", ["one"], "")),
        *(("put_object", "letter", ["one"], "", ("shelf",)), LETTER, ("see", "one closed")),
        *(OPENS, ("see", "one closed"), ("give_back", "one"), ("see", "one open")),
    ],
    "an object names an inner list, which leaves": [
        *(("put_object", "letter", ["one"], "", ("box",)), ("put_collection", "box", [], "")),
        *(CLOSED_BOX, ("see", "one closed"), EMPTY, ("see", "one closed")),
        *(OPENS, ("see", "one closed")),
    ],
    "an object names an inner list, which is withdrawn": [
        *(("put_object", "letter", ["one"], "", ("box",)), ("put_collection", "box", [], "")),
        *(CLOSED_BOX, ("withdraw", "box"), ("see", "one closed")),
    ],
    "an object names an inner list by its previous identifier": [
        *(("put_collection", "box", [], ""), CLOSED_BOX, ("rename", "box", "rack")),
        *(("put_object", "letter", ["one"], "", ("box",)), ("see", "one closed")),
        *(EMPTY, ("see", "one closed")),
    ],
    "a list becomes an object, which another list has by its new name": [
        *(LETTER, CLOSED, ("put_object", "shelf", ["one"]), ("rename", "shelf", "rack")),
        *(("put_collection", "box", ["rack"], "small:1000"), ("see", "one closed")),
    ],
    "an object becomes a list": [
        *(LETTER, CLOSED, BOOK, ("put_collection", "letter", ["book"], "")),
        ("see", "one closed two closed"),
    ],
    "an image that is listed becomes an object": [
        *(("put_collection", "shelf", ["two"], "closed"), ("put_object", "two", ["three"])),
        *(("see", "two closed three closed"), ("withdraw", "two"), ("see", "three closed")),
    ],
    "an object joins another list and leaves": [
        *(LETTER, CLOSED, ("put_collection", "rack", ["letter"], "open"), EMPTY),
        ("see", "one closed"),
    ],
    "an object leaves and joins another list": [
        *(LETTER, CLOSED, EMPTY, ("put_collection", "rack", ["letter"], "open")),
        *(("see", "one closed"), ("give_back", "one"), ("see", "one open")),
    ],
    "one of an image's two objects is withdrawn": [
        *(LETTER, ("put_object", "book", ["one"]), CLOSED, ("withdraw", "letter")),
        ("see", "one closed"),
    ],
    "one of an image's two objects in a list is withdrawn": [
        *(LETTER, ("put_object", "book", ["one"])),
        *(("put_collection", "shelf", ["letter", "book"], "closed"), ("withdraw", "letter")),
        *(("see", "one closed"), OPENS, ("see", "one open")),
    ],
    "an image gets into another object of the list": [
        *(LETTER, BOOK, ("put_collection", "shelf", ["letter", "book"], "closed")),
        *(("put_object", "book", ["two", "one"]), ("put_object", "letter", ["three"])),
        *(("see", "one closed two closed three closed"), OPENS),
        ("see", "one open two open three open"),
    ],
    "an image is renamed": [
        *(LETTER, CLOSED, ("rename_image", "one", "four"), ("see", "four closed")),
        *(OPENS, ("see", "four open")),
    ],
    "an image is withdrawn while its list closes": [
        *(LETTER, ("put_collection", "shelf", ["letter"], ""), ("withdraw_image", "one"), CLOSED),
        *(("restore_image", "one"), ("see", "one closed")),
    ],
    "an image is withdrawn while its list opens": [
        *(LETTER, CLOSED, ("withdraw_image", "one"), OPENS),
        *(("restore_image", "one"), ("see", "one open")),
    ],
    "an image and its closed list are withdrawn": [
        *(LETTER, CLOSED, ("withdraw_image", "one"), ("withdraw", "shelf")),
        *(("restore_image", "one"), ("see", "one closed")),
    ],
    "an image comes when its list is withdrawn": [
        *(*COMES, ("withdraw", "shelf"), ("upload", "four"), ("see", "four closed")),
    ],
    "an image comes when its list has it no longer": [
        *(*COMES, EMPTY, OPENS, ("upload", "four"), ("see", "four closed")),
    ],
    "an image comes when its object has it no longer": [
        *(*COMES, LETTER, OPENS, ("upload", "four"), ("see", "four closed one open")),
    ],
    "eight redirects": [
        *(("put_object", "letter", ["old-0"]), CLOSED),
        *(("add_redirect", f"old-{one}", f"old-{one + 1}") for one in range(7)),
        *(("add_redirect", "old-7", "one"), ("see", "one closed"), OPENS, ("see", "one open")),
    ],
    "eight redirects, the last one first": [
        ("add_redirect", "old-7", "one"),
        *(("add_redirect", f"old-{one}", f"old-{one + 1}") for one in reversed(range(7))),
        *(("put_object", "letter", ["old-0"]), CLOSED, ("see", "one closed")),
        *(OPENS, ("see", "one open")),
    ],
    "a previous identifier of an image is listed by itself": [
        *(("add_redirect", "old", "one"), ("put_collection", "shelf", ["old"], "closed")),
        ("see", "one closed"),
    ],
    "a redirect that is listed is removed": [
        *(("put_collection", "shelf", ["old"], "closed"), ("add_redirect", "old", "two")),
        *(("remove_redirect", "old"), ("see", "two closed"), OPENS, ("see", "two open")),
    ],
    "a list takes the place of a closed one that was renamed": [
        *(LETTER, BOOK, CLOSED, ("rename", "shelf", "rack")),
        *(("put_collection", "shelf", ["letter", "book"], "open"), ("see", "one closed two open")),
    ],
    "a withdrawn list comes back open": [
        *(LETTER, CLOSED, ("withdraw", "shelf")),
        *(("put_collection", "shelf", ["letter"], "open"), ("see", "one open")),
    ],
    "a withdrawn list comes back open with another member": [
        *(LETTER, BOOK, CLOSED, ("withdraw", "shelf")),
        *(("put_collection", "shelf", ["book"], "open"), ("see", "one closed two open")),
    ],
    "a rule gets weaker while the list gets shorter": [
        *(LETTER, BOOK, ("put_collection", "shelf", ["letter", "book"], "closed")),
        ("put_collection", "shelf", ["book"], "small:1000"),
        ("see", "one closed two small:1000"),
    ],
    "a list is rolled back to other members": [
        *(LETTER, BOOK, ("put_collection", "shelf", ["letter"], "")),
        *(("put_collection", "shelf", ["book"], "closed"), ("roll_back", "shelf", 0)),
        ("see", "one closed two closed"),
    ],
    "lists are exported and imported elsewhere": [
        *(LETTER, BOX, ("add_redirect", "old", "two"), ("put_object", "book", ["old"])),
        ("put_collection", "shelf", ["box", "book"], "closed", ["three", "", "three"]),
        *(("export",), ("move",), ("import_", False)),
        *(("see", "one closed two closed three closed"), OPENS),
        ("see", "one open two open three open"),
    ],
}


def give(world: RulesWorld, step: Step) -> None:
    """Give a command that may be refused; once more if somebody else was quicker."""
    name, *arguments = step
    try:
        world.do(str(name), tuple(arguments))
    except (RevisionChanged, TransientError):
        world.do(str(name), tuple(arguments))


def see(world: RulesWorld, *images: str) -> dict[str, str]:
    """Return the rules of images; open is open."""
    return {image: strictest((world.access(image),)) or "open" for image in images}


@pytest.mark.parametrize("case", CASES)
def test_images_are_shown_as_their_collections_say(case: str) -> None:
    with run_world() as world:
        for step in CASES[case]:
            if step[0] == "see":
                words = str(step[1]).split()
                expected = dict(zip(words[::2], words[1::2], strict=True))
                assert see(world, *expected) == expected
                continue
            give(world, step)
            world.view()
        world.invalidate(random.Random(0), everything=True)
        world.check_edge()


BEFORE: list[Step] = [
    *(LETTER, BOOK, ("put_object", "map", ["three"])),
    *(("put_collection", "box", ["book"], ""), ("put_collection", "rack", ["letter"], "open")),
    ("add_redirect", "old", "three"),
]
SHELVES: dict[str, list[Step]] = {
    rule: [*BEFORE, ("put_collection", "shelf", ["letter", "box"], rule)]
    for rule in ("closed", "open")
}
COMMANDS: dict[str, Step] = {
    "close": ("set_rule", "shelf", "closed"),
    "open": OPENS,
    "shorten": ("put_collection", "shelf", ["box"], ""),
    "empty and open": ("put_collection", "shelf", [], "open"),
    "lengthen": ("put_collection", "shelf", ["letter", "box", "map"], ""),
    "lengthen and close": ("put_collection", "shelf", ["letter", "box", "old"], "closed"),
    "show a picture": ("put_collection", "shelf", ["letter", "box"], "", ["three"]),
    "withdraw the list": ("withdraw", "shelf"),
    "withdraw an inner list": ("withdraw", "box"),
    "withdraw an object": ("withdraw", "letter"),
    "rename the list": ("rename", "shelf", "shelf-1"),
    "rename an inner list": ("rename", "box", "box-1"),
    "rename an object": ("rename", "letter", "letter-1"),
    "put another image": ("put_object", "letter", ["three"]),
    "put an image more": ("put_object", "book", ["two", "four"]),
    "name a list": ("put_object", "map", ["three"], "", ("shelf",)),
    "fill the inner list": ("put_collection", "box", ["book", "map"], ""),
    "give back": ("give_back", "one"),
    "give back what may join": ("give_back", "three"),
    "open an image": ("say", "two", "open"),
    "redirect": ("add_redirect", "one", "three"),
    "rename an image": ("rename_image", "two", "four"),
}


class Died(Exception):
    """The process has ended."""


def die() -> None:
    raise Died


def arranged(world: RulesWorld, rule: str) -> RulesWorld:
    """Return a world with a shelf under this rule, whose images the edge has."""
    for step in SHELVES[rule]:
        give(world, step)
    world.view()
    return world


def after(rule: str, *commands: str) -> dict[str, str]:
    """Return the rules of images after commands, one after the other."""
    with run_world() as world:
        arranged(world, rule)
        for command in commands:
            give(world, COMMANDS[command])
        return see(world, *IMAGES)


def closed(rules: dict[str, str]) -> set[str]:
    return {image for image, rule in rules.items() if rule == "closed"}


def check_edge(world: RulesWorld) -> None:
    """Fail if the edge has an answer under another rule when all invalidations have come."""
    world.invalidate(random.Random(0), everything=True)
    world.check_edge()


@pytest.mark.parametrize("rule", SHELVES)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_death_between_two_writes_opens_nothing_and_the_same_command_ends_it(
    command: str, rule: str
) -> None:
    stay_closed = closed(after(rule)) & closed(after(rule, command))
    for number in count():
        with run_world() as world:
            arranged(world, rule)
            with suppress(Died), world.before_write(number, die) as died:
                give(world, COMMANDS[command])
            assert stay_closed <= closed(see(world, *IMAGES)), number
            world.view()
            give(world, COMMANDS[command])
            assert see(world, *IMAGES) == after(rule, command), number
            check_edge(world)
        if not died:
            return


OTHERS = [one for one in COMMANDS if one not in ("show a picture", "fill the inner list")]


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_between_two_writes_of_another_comes_before_or_after_it(
    command: str, other: str
) -> None:
    orders = after("closed", command, other), after("closed", other, command)
    for number in count():
        with run_world() as world:
            arranged(world, "closed")

            def interfere(world: RulesWorld = world) -> None:
                give(world, COMMANDS[other])
                world.view()

            with world.before_write(number, interfere) as happened:
                give(world, COMMANDS[command])
            if not happened:
                return
            for image, rule in see(world, *IMAGES).items():
                # What an open list has again may be as if it had not left it.
                possible = {one[image] for one in orders}
                is_back = rule == "open" and world.shows(image, "shelf")
                assert rule in possible or is_back, (number, image, rule, possible)
            check_edge(world)


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_list_that_closes_after_two_commands_at_once_closes_what_it_has(
    command: str, other: str
) -> None:
    for number in count():
        with run_world() as world:
            arranged(world, "open")
            with world.before_write(number, lambda: give(world, COMMANDS[other])) as happened:
                give(world, COMMANDS[command])
            if not happened:
                return
            for name in ("shelf", "shelf-1", "box"):
                give(world, ("set_rule", name, "closed"))
            records = world.bench.identifiers
            own = {one for one in IMAGES if (it := records.get(one)) and has_own_rule(it)}
            in_lists = {image for image, lists in world.demands().items() if lists}
            assert in_lists - own <= closed(see(world, *IMAGES)), number
