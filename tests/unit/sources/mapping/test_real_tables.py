"""Museums' own tables, unmodified, from the folder that MUSEUM_TABLES names: they are not ours.

It holds them as `collections` of the data that is kept next to the project: wcma/, tate/, nga/ ….
"""

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from vitrine.sources.mapping.mapping_reader import read_mapping
from vitrine.sources.mapping.propose import propose
from vitrine.sources.mapping.to_objects import MappedObject, RowNote
from vitrine.sources.updates.open_mapper import open_mapper

FOLDER = Path(os.environ.get("MUSEUM_TABLES", "none"))
pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="NOT TESTED: MUSEUM_TABLES names no folder of museums' tables"
)

EXPECTED: dict[str, dict[str, set[str]]] = {
    "wcma/wcma-collection.csv": {
        "identifier": {"id", "accession_number"},
        "label": {"title"},
        "summary": {"description"},
        "image": {"filename"},
        "nav_date": {"creation_date", "creation_date_earliest"},
        "credit": {"credit_line"},
    },
    "tate/artwork_data.csv": {
        "identifier": {"id", "accession_number"},
        "label": {"title"},
        "image": {"thumbnailUrl"},
        "nav_date": {"year"},
        "credit": {"creditLine"},
    },
    "collectionbuilder/demo-compoundobjects-metadata.csv": {
        "identifier": {"objectid"},
        "label": {"title"},
        "summary": {"description"},
        "image": {"object_location", "image_small"},
        "alt_text": {"image_alt_text"},
        "rights": {"rightsstatement"},
        "nav_date": {"date"},
        "page": {"parentid"},
    },
    "collectionbuilder/demo-metadata.csv": {
        "identifier": {"objectid"},
        "label": {"title"},
        "summary": {"description"},
        "image": {"object_location", "image_small", "filename"},
        "alt_text": {"image_alt_text"},
        "rights": {"rightsstatement"},
        "nav_date": {"date"},
    },
    "collectionbuilder/dworshak.csv": {
        "identifier": {"objectid"},
        "label": {"title"},
        "summary": {"description"},
        "rights": {"rightsstatement"},
        "nav_date": {"date"},
        "homepage": {"reference url"},
    },
    "wellcome/chemist-and-druggist.xlsx": {
        "identifier": {"Identifier"},
        "label": {"Label", "DisplayDate"},
        "nav_date": {"NavDate", "Year"},
    },
    "nga/constituents.csv": {
        "identifier": {"constituentid"},
        "label": {"preferreddisplayname", "forwarddisplayname"},
        "nav_date": {"beginyear"},
    },
    "nga/media_items.csv": {
        "identifier": {"mediaid"},
        "label": {"title"},
        "summary": {"description"},
        "image": {"thumbnailurl", "imageurl", "playurl"},
        "homepage": {"playurl", "downloadurl"},
    },
    "walters/collections.csv": {
        "identifier": {"CollectionID"},
        "label": {"CollectionName"},
        "summary": {"CollDescription"},
        "homepage": {"CollectionURL"},
    },
    "walters/exhibitions.csv": {
        "identifier": {"ExhibitionID"},
        "label": {"ExhTitle"},
        "nav_date": {"ExhibBeginYear"},
    },
    "workbench/excel_test__test_excel_file.xlsx": {
        "identifier": {"id"},
        "label": {"title"},
        "summary": {"field_description"},
    },
    "tate/artist_data.csv": {
        "identifier": {"id"},
        "label": {"name"},
        "nav_date": {"yearOfBirth"},
        "homepage": {"url"},
    },
}
"""Columns that a reader of the table would choose: any of these is right."""


def chosen(name: str) -> dict[str, str]:
    """Rule -> column, as proposed."""
    rules = tomllib.loads(propose(FOLDER / name, "."))
    item: dict[str, Any] = {**rules["object"]}
    item["credit"] = item.pop("required_statement", {}).get("value", "")
    item["page"] = rules.get("page", {}).get("of", "")
    texts = {
        rule: value["value"] if isinstance(value, dict) else value for rule, value in item.items()
    }
    return {rule: text.strip("{}") for rule, text in texts.items() if text}


def test_nine_tenths_of_the_rules_are_proposed_rightly() -> None:
    right, wrong = 0, []
    for name, expected in EXPECTED.items():
        found = chosen(name)
        for rule in expected.keys() | found.keys():
            if found.get(rule, "") in expected.get(rule, {""}):
                right += 1
            else:
                wrong.append(f"{name}: {rule} = {found.get(rule)!r}, not {expected.get(rule)}")
    share = right / (right + len(wrong))
    print(f"{share:.1%} of {right + len(wrong)} rules", *wrong, sep="\n")
    assert share >= 0.9, wrong


@pytest.mark.parametrize("name", EXPECTED)
def test_a_proposal_can_be_checked_as_it_is(name: str, tmp_path: Path) -> None:
    text = propose(FOLDER / name, ".").replace(Path(name).name, str(FOLDER / name), 1)
    assert len([line for line in text.splitlines() if line]) <= 40
    rules = tmp_path / "collection.toml"
    rules.write_text(text, encoding="utf-8")
    found = list(open_mapper(read_mapping(rules)).objects())
    faults = [note for note in found if isinstance(note, RowNote) and note.is_fault]
    objects = sum(isinstance(one, MappedObject) for one in found)
    skipped = sum(isinstance(one, RowNote) and "not published" in one.sentence for one in found)
    print(f"{name}: {objects} objects, {skipped} rows without image, {len(faults)} faults")
    assert objects
    assert len(faults) <= max(1, 0.05 * (objects + skipped))
