"""A gateway shows an image as the rules of its collections demand, wherever these were said."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from tests.rigs.clock import Clock
from tests.unit.deliver.answer.gateway_bench import TILE, Bench, header
from tests.unit.deliver.deliver_records import live
from vitrine.access.collection_rules import CollectionRule
from vitrine.adapters.memory.faults import Breaking
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.deliver.answer.lookup import RecordLookup
from vitrine.deliver.answer.rules_watch import STALE_SECONDS, RulesWatch
from vitrine.deliver.http.exchange import Request
from vitrine.errors import Unavailable
from vitrine.identify.canary import CANARY
from vitrine.identify.resolve import Serve
from vitrine.store.collection_rules import HeldRules
from vitrine.store.layout import (
    COLLECTION_RULES,
    MANY_COLLECTIONS_TAG,
    MAX_COLLECTION_TAGS,
    cache_tag,
    collection_tag,
)

TTL = 30.0
IN_SHELF = live(access="inherited", collections=("shelf",))
T = TypeVar("T")


def say(store: MemoryObjectStore, **rules: str) -> None:
    """Let collections have these rules, each in the one before it."""
    names = list(rules)
    HeldRules(store).change(
        lambda _: {
            name: CollectionRule(rule=rule, within=tuple(names[place - 1 : place] if place else ()))
            for place, (name, rule) in enumerate(rules.items())
        }
    )


def run(
    store: MemoryObjectStore | Breaking,
    clock: Clock,
    work: Callable[[RecordLookup], Awaitable[T]],
    image: object = IN_SHELF,
) -> T:
    async def with_lookup() -> T:
        table = MemoryIdentifierTable(CANARY, image)  # type: ignore[arg-type]
        watch = RulesWatch(store, TTL, clock)  # type: ignore[arg-type]
        lookup = RecordLookup(table, TTL, clock, rules=watch)
        try:
            return await work(lookup)
        finally:
            lookup.close()

    return asyncio.run(with_lookup())


async def access(lookup: RecordLookup, identifier: str = "a") -> str:
    result = await lookup.find(identifier)
    assert isinstance(result.decision, Serve)
    return result.decision.image.access


def test_a_rule_reaches_images_within_the_life_of_a_record() -> None:
    store, clock = MemoryObjectStore(), Clock()
    say(store, shelf="")

    async def close(lookup: RecordLookup) -> list[object]:
        seen: list[object] = [await access(lookup), lookup.live_now("a") is not None]
        say(store, shelf="closed")
        clock.now += TTL
        seen += [lookup.live_now("a"), await access(lookup), lookup.live_now("a")]
        say(store, shelf="small:500")
        clock.now += TTL
        return [*seen, await access(lookup)]

    assert run(store, clock, close) == ["open", True, None, "closed", None, "small:500"]


def test_a_new_image_is_under_the_rules_that_it_was_written_with() -> None:
    store, clock = MemoryObjectStore(), Clock()
    say(store, shelf="")
    table = MemoryIdentifierTable(CANARY, live(access="inherited", collections=("shelf",)))

    async def publish() -> list[str]:
        lookup = RecordLookup(table, TTL, clock, rules=RulesWatch(store, TTL, clock))  # type: ignore[arg-type]
        try:
            seen = [await access(lookup)]
            say(store, shelf="", shut="closed")
            written = HeldRules(store)()
            assert written
            table.write(
                live(
                    "new",
                    access="inherited",
                    collections=("shut",),
                    rules_version=written.version,
                ),
                None,
            )
            clock.now += 1
            seen.append(await access(lookup, "new"))
            # An older table stays good for what was written before.
            return [*seen, await access(lookup)]
        finally:
            lookup.close()

    assert asyncio.run(publish()) == ["open", "closed", "open"]


def test_a_version_that_never_comes_costs_one_look_for_each_reading() -> None:
    store, clock = MemoryObjectStore(), Clock()
    say(store, shelf="")

    async def ask(lookup: RecordLookup) -> list[object]:
        seen: list[object] = [await access(lookup)]
        return [*seen, lookup.live_now("a") is not None]

    lost = live(access="inherited", collections=("shelf",), rules_version=10**12)
    assert run(store, clock, ask, lost) == ["open", True]


def test_outer_collections_close_and_an_image_in_none_asks_nobody() -> None:
    store, clock = MemoryObjectStore(), Clock()
    say(store, rack="staff", shelf="open")
    assert run(store, clock, access) == "staff"
    broken = Breaking(store, every=1)
    assert run(broken, clock, access, live()) == ""
    assert run(broken, clock, access, live(access="open", collections=("shelf",))) == "open"


@pytest.mark.parametrize("body", [None, b"{", b'{"version": 1}'])
def test_without_a_table_that_can_be_read_it_is_closed(body: bytes | None) -> None:
    store = MemoryObjectStore()
    if body:
        store.put(COLLECTION_RULES, body, content_type="application/json")
    assert run(store, Clock(), access) == "closed"


def test_while_the_bucket_is_silent_nobody_may_keep_an_answer_and_then_it_answers_503() -> None:
    store, clock = MemoryObjectStore(), Clock()
    say(store, shelf="")
    breaking = Breaking(store)

    async def lose(lookup: RecordLookup) -> None:
        assert await access(lookup) == "open"
        breaking.fail_next(99)
        clock.now += TTL
        result = await lookup.find("a")
        assert isinstance(result.decision, Serve)
        assert not lookup.is_current(result)
        clock.now += STALE_SECONDS
        with pytest.raises(Unavailable):
            await lookup.find("a")

    run(breaking, clock, lose)


def test_a_gateway_that_never_read_the_rules_shows_nothing() -> None:
    with pytest.raises(Unavailable):
        run(Breaking(MemoryObjectStore(), every=1), Clock(), access)


def tags_of(image: object, store: MemoryObjectStore) -> list[set[str]]:
    """The tags of a tile, of the same at once, and of the image's information."""
    bench = Bench(image)  # type: ignore[arg-type]
    bench.ticket_keys = store

    async def ask(gateway: object) -> list[set[str]]:
        found = []
        for path in (TILE, TILE, "/iiif/3/a/info.json"):
            request = Request(method="GET", path=path, headers={"host": "i.example.org"})
            response = await gateway.respond(request)  # type: ignore[attr-defined]
            found.append({*header(response, "cache-tag").split(",")})
        return found

    return bench.run(ask)


def test_answers_have_the_tags_of_all_collections_around_an_image() -> None:
    store = MemoryObjectStore()
    say(store, rack="", shelf="open")
    expected = {cache_tag("a"), collection_tag("shelf"), collection_tag("rack")}
    assert tags_of(IN_SHELF, store) == [expected] * 3
    say(store, rack="closed", shelf="open")
    assert tags_of(IN_SHELF, store) == [expected] * 3, "also of what is refused"


def test_an_image_in_many_collections_has_one_tag_for_all() -> None:
    store = MemoryObjectStore()
    names = tuple(f"shelf {number:03}" for number in range(MAX_COLLECTION_TAGS + 1))
    say(store, **dict.fromkeys(names, ""))
    image = live(access="inherited", collections=names)
    assert tags_of(image, store)[0] == {cache_tag("a"), MANY_COLLECTIONS_TAG}
