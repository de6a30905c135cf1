"""The price of an import follows from what an import does."""

from dataclasses import replace

from docs.build.redirect_import_price_page import dollars, example, item_bytes, requests
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.messaging import MemoryEventBus
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.identify.journal import Journal
from vitrine.identify.redirects.bulk import Workers
from vitrine.identify.redirects.bulk_import import ImportOptions, plan_import, write_import
from vitrine.identify.redirects.csv_file import RedirectRow
from vitrine.identify.redirects.import_plan import open_import_plan
from vitrine.identify.redirects.redirects import Redirects
from vitrine.identify.register import Register
from vitrine.records import Gone

ROWS = 1_200


class CountedTable(MemoryIdentifierTable):
    gets = many = writes = 0

    def get(self, identifier):  # type: ignore[no-untyped-def]
        self.gets += 1
        return super().get(identifier)

    def get_many(self, identifiers):  # type: ignore[no-untyped-def]
        self.many += len(set(identifiers))
        gets = self.gets
        found = super().get_many(identifiers)
        self.gets = gets  # the memory's batch is made of single reads
        return found

    def write(self, record, replaces):  # type: ignore[no-untyped-def]
        self.writes += 1
        super().write(record, replaces)


class CountedStore(MemoryObjectStore):
    puts = 0

    def put(self, key, body, **options):  # type: ignore[no-untyped-def]
        self.puts += 1
        return super().put(key, body, **options)


def test_an_import_makes_the_requests_that_are_reckoned_with() -> None:
    targets = [
        Gone(identifier=f"target {number}", revision=1, reason="x", changed_at="2026")
        for number in range(ROWS)
    ]
    table, store, bus = CountedTable(*targets), CountedStore(), MemoryEventBus()
    redirects = Redirects(Register(table, Journal(store), bus))
    rows = [RedirectRow(number, f"old {number}", f"target {number}") for number in range(ROWS)]
    with open_import_plan() as plan, Workers(2) as workers:
        plan_import(redirects, plan, rows, ImportOptions(), workers)
        write_import(redirects, plan, ImportOptions(), workers)
    counts = requests(ROWS, example())
    assert (store.puts, len(bus.events)) == (counts.puts, counts.events)
    assert table.writes * 3 == counts.write_units
    scanned = 0.5 * item_bytes(example()) / 4_096 * ROWS
    assert table.gets + 0.5 * table.many + scanned == counts.read_units


def test_an_item_beyond_a_kilobyte_costs_twice_the_write_units() -> None:
    large = replace(example(), note="x" * 1_000)
    assert item_bytes(large) - item_bytes(example()) == 1_000 - len(example().note)
    assert requests(10, large).write_units == 2 * requests(10, example()).write_units
    costs = dollars(requests(1_000_000, example()), "us-east-1")
    assert costs["S3 PUTs of the journal"] == 5
