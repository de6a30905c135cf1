"""Following `next` lists each member of a collection once."""

import json
from collections.abc import Mapping, Sequence

import pytest

from tests.unit.mcp.files_visitor import BASE, visit
from vitrine.iiif.presentation.addresses import MANIFEST, document_path, page_document
from vitrine.iiif.presentation.paging import MEMBERS
from vitrine.mcp.objects import LISTED, VERSION, get_object

ROOT = f"{BASE}{document_path(VERSION, 'prints', MANIFEST)}"


def _page_address(number: int) -> str:
    return BASE + document_path(VERSION, "prints", page_document(number))


def _collection(address: str, items: Sequence[tuple[str, str]]) -> bytes:
    listed = [{"id": one, "type": kind, "label": {"none": [one]}} for one, kind in items]
    return json.dumps({"id": address, "type": "Collection", "items": listed}).encode()


def _prints(sizes: Sequence[int]) -> Mapping[str, bytes]:
    """Return the documents of a collection whose pages have these numbers of members."""
    pages = [(_page_address(number), "Collection") for number in range(1, len(sizes) + 1)]
    answers = {ROOT: _collection(ROOT, pages)}
    for (address, _), size in zip(pages, sizes, strict=True):
        names = [f"{address.rsplit('/', 1)[1]}-{one}" for one in range(size)]
        members = [(BASE + document_path(VERSION, name, MANIFEST), "Manifest") for name in names]
        answers[address] = _collection(address, members)
    return answers


@pytest.mark.parametrize(
    "sizes",
    [
        (MEMBERS, 3),
        (MEMBERS - 1, 3),
        (MEMBERS - LISTED, 3),
        (MEMBERS - 2 * LISTED - 1, 0, 2),
        (0, 1),
        (5, 0),
    ],
)
async def test_members_behind_a_gap_are_listed(sizes: Sequence[int]) -> None:
    visitor, seen = visit(_prints(sizes)), list[str]()
    first: int | None = 1
    while first:
        shown = await get_object(visitor, "prints", first)
        seen += [member.identifier for member in shown.members]
        first = shown.next
    assert len(seen) == len(set(seen)) == sum(sizes)
