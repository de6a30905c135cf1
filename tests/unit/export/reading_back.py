"""An export, read back into a service of the tests."""

from pathlib import Path

from tests.unit.export.export_bench import ExportBench, read_lines
from vitrine.export.exported_lists import ExportedLists
from vitrine.export.read_back import (
    ReadBack,
    announce_objects,
    restore_objects,
    restore_redirects,
    restore_rules,
    restore_tombstones,
)
from vitrine.identify.owners import note_owner
from vitrine.store.layout import owned_key


def ignore(done: int) -> None:
    pass


def read_back(folder: Path, bench: ExportBench) -> ReadBack:
    """What `vitrine collection import` does, with ingest in this process."""
    lists, result = ExportedLists(folder), ReadBack()
    restore_rules(bench.curation, lists, result, ignore)
    announce_objects(bench.publisher, lists)
    for row in read_lines(lists.images):
        body = (folder / "data" / row["source"]).read_bytes()
        if owner := row.get("owned_by", ""):
            note_owner(bench.ingest.records, owner)
        bench.add_image(row["identifier"], body, owned_key(owner, row["source"]))
    restore_tombstones(bench.register, lists, result, ignore)
    restore_redirects(bench.register, lists, result)
    restore_rules(bench.curation, lists, result, ignore, of_redirects=True)
    restore_objects(bench.objects, lists, result, ignore)
    return result
