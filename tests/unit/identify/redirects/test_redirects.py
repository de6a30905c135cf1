"""Redirects lead where they should, whatever others do at the same moment."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial

import pytest

from tests.unit.identify.redirects.interleaved import Actor, World, interleave, live, redirect
from vitrine.errors import IdentifierRefused, VitrineError
from vitrine.identify.changes import withdraw_image
from vitrine.identify.journal import Journal
from vitrine.identify.redirects.redirects import Redirects
from vitrine.identify.resolve import MovedTo, Serve, Unknown, WithdrawnIdentifier
from vitrine.records import Gone, Redirect, Removed

GONE = Gone(identifier="gone", revision=1, reason="Lost.", changed_at="2026")
SEEDS = range(60)


def refusal_code(call: Callable[[], object]) -> str:
    with pytest.raises(IdentifierRefused) as raised:
        call()
    return raised.value.code


def add(old: str, new: str, **options: bool) -> Actor:
    return lambda redirects: redirects.add(old, new, **options)  # type: ignore[arg-type]


def test_a_redirect_leads_to_a_live_image() -> None:
    world = World(live("new"))
    added = world.redirects().add("old", "new", note="merged")
    assert world.answer("old") == MovedTo("new")
    assert (added.change.made, added.target, added.collapsed) == (True, "new", 0)
    assert world.table.get("old").note == "merged"  # type: ignore[union-attr]


def test_a_redirect_that_stands_is_not_written_again() -> None:
    world = World(live("new"))
    for made in (True, False):
        assert world.redirects().add("old", "new").change.made is made
    assert [name for name, _ in world.bus.events] == ["ImageChanged"] * 2
    assert world.table.get("old").revision == 1  # type: ignore[union-attr]


def test_a_chain_is_collapsed_when_it_is_written() -> None:
    world = World(live("new"), redirect("middle", "new"))
    assert world.redirects().add("old", "middle").target == "new"
    assert world.table.get("old").target == "new"  # type: ignore[union-attr]


def test_redirects_to_a_new_redirect_are_retargeted() -> None:
    olds = [f"old {number}" for number in range(5)]
    world = World(live("b"), live("c"), *(redirect(old, "b") for old in olds))
    added = world.redirects().add("b", "c", replace_live=True)
    assert added.collapsed == 5
    assert all(world.answer(old) == MovedTo("c") for old in olds)
    assert world.chains() == []


def test_an_identifier_does_not_redirect_to_itself_in_any_spelling() -> None:
    world = World(live("\u00e4"))
    assert refusal_code(lambda: world.redirects().add("\u00e4", "a\u0308")) == "self"


def test_a_circle_is_refused_and_changes_nothing() -> None:
    world = World(live("c"), redirect("a", "c"), redirect("b", "a"))
    assert refusal_code(lambda: world.redirects().add("c", "b", replace_live=True)) == "loop"
    assert world.answer("a") == MovedTo("c")
    assert world.bus.events == []


def test_a_target_that_never_was_is_refused_unless_it_may_come_later() -> None:
    world = World(Removed(identifier="removed", revision=2, changed_at="2026"))
    for target in ("nobody", "removed"):
        assert (
            refusal_code(lambda target=target: world.redirects().add("old", target)) == "dangling"
        )
    world.redirects().add("old", "nobody", allow_dangling=True)
    assert world.answer("old") == Unknown()
    world.table.write(live("nobody"), None)
    assert world.answer("old") == MovedTo("nobody")


def test_a_redirect_to_a_tombstone_is_gone_with_its_reason() -> None:
    world = World(GONE)
    world.redirects().add("old", "gone")
    assert world.answer("old") == WithdrawnIdentifier("Lost.", "2026")


def test_a_live_image_gives_way_only_when_it_is_said() -> None:
    world = World(live("a"), live("b"))
    assert refusal_code(lambda: world.redirects().add("a", "b")) == "live-image"
    assert isinstance(world.answer("a"), Serve)
    world.redirects().add("a", "b", replace_live=True)
    assert world.answer("a") == MovedTo("b")


def test_a_tombstone_gives_way_only_when_it_is_said() -> None:
    world = World(live("a"), GONE)
    for others in ({}, {"replace_live": True, "allow_dangling": True}):
        refusal = refusal_code(lambda others=others: world.redirects().add("gone", "a", **others))
        assert refusal == "withdrawn-image"
    assert world.answer("gone") == WithdrawnIdentifier("Lost.", "2026")
    world.redirects().add("gone", "a", replace_withdrawn=True)
    assert world.answer("gone") == MovedTo("a")


def test_an_image_withdrawn_while_it_becomes_a_redirect_stays_withdrawn() -> None:
    """In either order of writes; and the table agrees with the journal."""

    def withdraw(redirects: Redirects) -> None:
        redirects.register.change("b", withdraw_image("b", "Lost.", "2026"))

    codes = set()
    for seed in SEEDS:
        world = neighbourhood()
        actors = (withdraw, add("b", "c", replace_live=True))
        codes |= {
            result.code
            for result in interleave(world, actors, seed, lambda: None)
            if isinstance(result, IdentifierRefused)
        }
        history = Journal(world.store).history("b")
        assert history[-1] == world.table.get("b"), seed
        assert [type(record) for record in history] in ([Gone], [Redirect]), seed
    assert codes == {"withdrawn-image", "no-image"}, "the orders do not differ enough"


def test_another_redirect_gives_way() -> None:
    world = World(live("a"), live("b"), GONE)
    for target in ("a", "b"):
        world.redirects().add("gone", target, note=target, replace_withdrawn=True)
        assert world.answer("gone") == MovedTo(target)
    world.redirects().add("gone", "a")
    assert world.table.get("gone").note == "b", "a note that is not given leaves the last one"  # type: ignore[union-attr]


def test_a_redirect_can_be_taken_back_and_nothing_else() -> None:
    world = World(live("a"), redirect("old", "a"), GONE)
    world.redirects().remove("old")
    assert world.answer("old") == Unknown()
    for name in ("old", "a", "gone", "nobody"):
        assert refusal_code(lambda name=name: world.redirects().remove(name)) == "no-redirect"
    world.redirects().add("old", "a")
    assert world.answer("old") == MovedTo("a")


def test_what_can_be_no_identifier_is_refused() -> None:
    world = World(live("a"))
    for old, new in (("a\n", "a"), ("b", ""), ("3", "a"), ("..", "a")):
        assert refusal_code(lambda old=old, new=new: world.redirects().add(old, new)) == (
            "identifier-invalid"
        )


def test_a_chain_that_was_left_behind_is_led_to_its_end() -> None:
    world = World(live("d"), redirect("a", "b"), redirect("b", "c"), redirect("c", "d"))
    assert world.answer("a") == MovedTo("d")
    found = list(world.table.redirects())
    assert [world.redirects().collapse(item) for item in found] == [True, True, False]
    assert world.chains() == []


NEIGHBOURS: dict[str, tuple[Actor, Actor]] = {
    "leads on while another leads to it": (add("b", "c", replace_live=True), add("new", "b")),
    "both ends of a chain": (add("b", "c", replace_live=True), add("c", "d", replace_live=True)),
    "the same identifier": (add("x", "c"), add("x", "d")),
    "to one that is led on": (add("x", "b"), add("b", "d", replace_live=True)),
    "taken back": (add("b", "c", replace_live=True), lambda redirects: redirects.remove("a")),
    "in a circle": (add("c", "d", replace_live=True), add("d", "c", replace_live=True)),
}


def neighbourhood(lag: int = 0) -> World:
    return World(live("b"), live("c"), live("d"), redirect("a", "b"), redirect("e", "c"), lag=lag)


def all_answer(world: World, names: Iterable[str]) -> None:
    for name in names:
        assert isinstance(world.answer(name), Serve | MovedTo), name


@pytest.mark.slow
@pytest.mark.parametrize("case", [name for name in NEIGHBOURS if name != "in a circle"])
@pytest.mark.parametrize("lag", [0, 3])
def test_no_address_ever_stops_answering_while_two_change_neighbours(case: str, lag: int) -> None:
    """Check after every step of either; no chain is left, except where the index lags behind."""
    for seed in SEEDS:
        world = neighbourhood(lag)
        watched = "bcde" if case == "taken back" else "abcde"
        results = interleave(world, NEIGHBOURS[case], seed, partial(all_answer, world, watched))
        assert not [result for result in results if isinstance(result, VitrineError)], seed
        if lag == 0:
            assert world.chains() == [], seed


def test_two_who_would_close_a_circle_do_not() -> None:
    """At least one is refused, and its change is reverted."""
    outcomes = set()
    for seed in SEEDS:
        world = neighbourhood()
        results = interleave(world, NEIGHBOURS["in a circle"], seed, lambda: None)
        codes = [result.code for result in results if isinstance(result, IdentifierRefused)]
        assert codes, seed
        assert set(codes) == {"loop"}, seed
        assert world.chains() == [], seed
        all_answer(world, "abcde")
        outcomes.add(len(codes))
    assert outcomes == {1, 2}, "the orders do not differ enough to prove anything"


@pytest.mark.parametrize("step", range(1, 12))
def test_a_change_that_breaks_off_leaves_every_address_answering(step: int) -> None:
    """The same change made again ends where an uninterrupted one does."""
    world = neighbourhood()

    class Died(BaseException):
        pass

    left = [step]

    def stop() -> None:
        left[0] -= 1
        if left[0] == 0:
            raise Died

    with suppress(Died):
        world.redirects(stop).add("b", "d", replace_live=True)
    all_answer(world, "abcde")
    world.redirects().add("b", "d", replace_live=True)
    assert world.answer("a") == world.answer("b") == MovedTo("d")
    assert world.chains() == []


def test_what_somebody_else_made_of_it_meanwhile_stays() -> None:
    world = World(live("b"), live("c"), redirect("a", "b"))
    redirects = world.redirects()
    stale = next(world.table.redirects_to("b"))
    redirects.add("a", "c")
    assert redirects.collapse(stale) is False
    assert isinstance(world.table.get("a"), Redirect)
    assert world.answer("a") == MovedTo("c")
