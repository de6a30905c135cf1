"""Museums' own tables, unmodified, from the folder that MUSEUM_TABLES names: they are not ours.

Files of images are names alone, made of the tables' own cells.

It holds them as `collections` of the data that is kept next to the project: wcma/, tate/, nga/ ….
"""

import os
import re
import tomllib
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from vitrine.proposal.columns import read_columns
from vitrine.proposal.propose import propose
from vitrine.sources.mapping.mapping_reader import read_mapping
from vitrine.sources.mapping.masters_folder import MasterFiles
from vitrine.sources.mapping.table import open_table
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
    "tate/artworks": {
        "identifier": {"acno", "id"},
        "label": {"title"},
        "image": {"thumbnailUrl"},
        "nav_date": {"dateRange.startYear"},
        "homepage": {"url"},
        "credit": {"creditLine"},
    },
    "cmoa/cmoa": {
        "identifier": {"accession_number", "id"},
        "label": {"title"},
        "nav_date": {"creation_date_earliest"},
        "homepage": {"web_url"},
        "credit": {"credit_line"},
    },
    "collectionbuilder/demo-compoundobjects-metadata.csv": {
        "latitude": {"latitude"},
        "longitude": {"longitude"},
        "place": {"location"},
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
        "latitude": {"latitude"},
        "longitude": {"longitude"},
        "place": {"location"},
        "identifier": {"objectid"},
        "label": {"title"},
        "summary": {"description"},
        "image": {"object_location", "image_small", "filename"},
        "alt_text": {"image_alt_text"},
        "rights": {"rightsstatement"},
        "nav_date": {"date"},
    },
    "collectionbuilder/dworshak.csv": {
        "latitude": {"latitude"},
        "longitude": {"longitude"},
        "place": {"coverage"},
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
        "nav_date": {"presentationdate"},
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


FACETS: dict[str, set[str]] = {
    "wcma/wcma-collection.csv": {"Maker", "Classification"},
    "tate/artwork_data.csv": {"Artist"},
    "tate/artworks": {"Classification", "Medium"},
    "cmoa/cmoa": {"Department", "Classification", "Nationality"},
    "cmoa/teenie": {"Medium"},
    "collectionbuilder/demo-compoundobjects-metadata.csv": {"Type"},
    "collectionbuilder/dworshak.csv": {"Subject", "Creator"},
    "wellcome/chemist-and-druggist.xlsx": set(),
}
"""Labels by which a reader of the table would look for objects, at least."""

NAMED: dict[str, str] = {
    "wcma/wcma-collection.csv": "accession_number",
    "tate/artwork_data.csv": "accession_number",
    "tate/artworks": "acno",
    "cmoa/cmoa": "accession_number",
    "cmoa/teenie": "accession_number",
    "collectionbuilder/dworshak.csv": "objectid",
    "nga/media_items.csv": "mediaid",
    "wax/valid.csv": "pid",
}
"""Columns after which files are called."""

STYLES: dict[str, Callable[[str], list[str]]] = {
    "as it is": lambda name: [f"{name}.tif"],
    "in a folder": lambda name: [f"box {len(name)}/{name}.TIF"],
    "with dashes": lambda name: [re.sub(r"\W+", "-", name) + ".jpg"],
    "with a prefix": lambda name: [f"museum_{name}.jpg"],
    "several": lambda name: [f"{name}_{number}.tif" for number in (1, 2)],
}
"""Names that museums give to files, by the name of an object."""


def proposed(name: str, files: list[str] | None = None) -> dict[str, Any]:
    masters = MasterFiles("scans", ((PurePosixPath(one), one) for one in files or ()))
    return tomllib.loads(propose(FOLDER / name, masters, "."))


def chosen(name: str) -> dict[str, str]:
    """Rule -> column, as proposed."""
    rules = proposed(name)
    item: dict[str, Any] = {**rules["object"]}
    item["credit"] = item.pop("required_statement", {}).get("value", "")
    item["page"] = rules.get("page", {}).get("of", "")
    texts = {
        rule: value["value"] if isinstance(value, dict) else value for rule, value in item.items()
    }
    return {rule: re.sub(r".*{|}.*", "", text) for rule, text in texts.items() if text}


def test_nineteen_of_twenty_rules_are_proposed_rightly() -> None:
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
    assert share >= 0.95, wrong


@pytest.mark.parametrize("name", FACETS)
def test_columns_that_repeat_are_proposed_for_browsing(name: str) -> None:
    found = {
        label
        for label, rule in proposed(name)["metadata"].items()
        if isinstance(rule, dict) and rule.get("facet")
    }
    print(name, sorted(found))
    assert found >= FACETS[name]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", NAMED)
def test_the_column_whose_files_are_there_names_the_images(name: str, style: str) -> None:
    """Sixty objects or so have their pictures, as museums' collections have in their first year."""
    columns = {one.name: one for one in read_columns(open_table(FOLDER / name))}
    named = [text.replace("/", "_") for text in columns[NAMED[name]].texts]
    some = named[:: max(1, len(named) // 60)]
    rule = proposed(name, [file for one in some for file in STYLES[style](one)])["object"]["image"]
    assert f"{{{NAMED[name]}}}" in rule
    assert rule.startswith("museum_") == (style == "with a prefix")
    assert rule.endswith("_*") == (style == "several")


@pytest.mark.parametrize("name", EXPECTED)
def test_no_column_is_lost(name: str) -> None:
    masters = MasterFiles("scans", ())
    text = propose(FOLDER / name, masters, ".")
    columns = [one.name for one in read_columns(open_table(FOLDER / name))]
    assert [one for one in columns if f"{{{one}}}" not in text] == []


@pytest.mark.parametrize("name", EXPECTED)
def test_a_proposal_can_be_checked_as_it_is(name: str, tmp_path: Path) -> None:
    text = propose(FOLDER / name, MasterFiles("scans", ()), ".")
    text = text.replace(f'table = "{Path(name).name}"', f'table = "{FOLDER / name}"')
    assert len([line for line in text.splitlines() if line and line[0] != "#"]) <= 40
    rules = tmp_path / "collection.toml"
    rules.write_text(text, encoding="utf-8")
    found = list(open_mapper(read_mapping(rules)).objects())
    faults = [note for note in found if isinstance(note, RowNote) and note.is_fault]
    objects = sum(isinstance(one, MappedObject) for one in found)
    skipped = sum(isinstance(one, RowNote) and "not published" in one.sentence for one in found)
    print(f"{name}: {objects} objects, {skipped} rows without image, {len(faults)} faults")
    assert objects
    assert len(faults) <= max(1, 0.05 * (objects + skipped))
