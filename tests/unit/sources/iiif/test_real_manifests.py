"""Manifests of institutions, from the folder that IIIF_FIXTURES names: they are not ours.

It has `cookbook/*.json` and `fixtures/*/*.json`, Presentation 1 to 3, good and faulty.
"""

import os
from collections import Counter
from pathlib import Path

import pytest

from vitrine.catalogue.cleaning import clean_item
from vitrine.catalogue.rules import find_faults
from vitrine.sources.iiif.read_manifest import (
    ManifestUnusable,
    parse_document,
    read_manifest,
)

FOLDER = Path(os.environ.get("IIIF_FIXTURES", "none"))
pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="NOT TESTED: IIIF_FIXTURES names no folder of others' manifests"
)


def test_every_document_maps_or_is_refused_with_a_reason() -> None:
    counts: Counter[str] = Counter()
    reasons: list[str] = []
    for path in sorted([*FOLDER.glob("cookbook/*.json"), *FOLDER.glob("fixtures/*/*.json")]):
        try:
            read = read_manifest(parse_document(path.read_bytes()))
        except ManifestUnusable as error:
            counts[f"{path.parent.name}: refused"] += 1
            reasons.append(str(error))
            continue
        assert list(find_faults(clean_item(read.item))) == [], path
        assert {canvas.image for canvas in read.item.canvases} == set(read.images), path
        counts[f"{path.parent.name}: mapped"] += 1
    begins = ("it ", "its ", "none of its canvases", "no identifier")
    assert [reason for reason in reasons if not reason.startswith(begins)] == []
    print("", *(f"  {count:4} {what}" for what, count in sorted(counts.items())), sep="\n")
    assert sum(count for what, count in counts.items() if what.endswith("mapped")) > 0


def test_what_the_specification_calls_an_error_is_refused_or_named() -> None:
    for path in sorted(FOLDER.glob("fixtures/spec-2.1-errors/*.json")):
        try:
            read = read_manifest(parse_document(path.read_bytes()))
        except ManifestUnusable:
            continue
        assert [one for one in read.notes if one != ("rights", "it names no rights")], path
