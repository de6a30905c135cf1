"""The rules of docs/reference/xml-records.md, on records as institutions write them.

Those of others are in the folder that MUSEUM_RECORDS names (lido/, mods/ …) and are not ours.
"""

import os
import re
from collections import Counter
from pathlib import Path

import pytest

from vitrine.sources.mapping.mapping_file import MappingUnusable
from vitrine.sources.mapping.mapping_reader import read_mapping
from vitrine.sources.mapping.to_objects import RowNote
from vitrine.sources.updates.open_mapper import AnyMapper, open_mapper

PAGE = Path(__file__).parents[4] / "docs/reference/xml-records.md"
EXAMPLES = re.findall(r"\n## ([^\n]+)\n.*?```toml\n(.*?)```", PAGE.read_text(), re.DOTALL)
RULES = {name: rules for name, rules in EXAMPLES if "[object]" in rules}
FOLDER = Path(os.environ.get("MUSEUM_RECORDS", "none"))
FOLDERS = {
    "dc": "Dublin Core by OAI-PMH",
    "oai": "Dublin Core by OAI-PMH",
    "lido": "LIDO",
    "mods": "MODS",
    "mets": "METS",
    "ead2002": "EAD",
    "ead3": "EAD",
}
SAMPLES = {
    "Dublin Core by OAI-PMH": """
        <OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords><record><header>
        <identifier>M-1</identifier></header><metadata><d:dc xmlns:d="http://example.org/d">
        <d:title>A plate</d:title><d:identifier>http://a.example/1.jpg</d:identifier><d:date>1901
        </d:date></d:dc></metadata></record></ListRecords></OAI-PMH>""",
    "LIDO": """
        <l:lido xmlns:l="http://www.lido-schema.org"><l:lidoRecID>M-1</l:lidoRecID><l:titleSet>
        <l:appellationValue>A plate</l:appellationValue></l:titleSet><l:eventDate><l:date>
        <l:earliestDate>1901</l:earliestDate></l:date></l:eventDate><l:resourceRepresentation>
        <l:linkResource>http://a.example/1.jpg</l:linkResource></l:resourceRepresentation></l:lido>""",
    "MODS": """
        <mods xmlns="http://www.loc.gov/mods/v3"><identifier>M-1</identifier><titleInfo><title>A
        plate</title></titleInfo><originInfo><dateIssued>1901</dateIssued></originInfo><location>
        <url>http://a.example/1.jpg</url></location></mods>""",
    "METS": """
        <m:mets xmlns:m="http://www.loc.gov/METS/" OBJID="M-1" LABEL="A plate"><m:fileSec>
        <m:fileGrp USE="MAX"><m:file><m:FLocat xmlns:x="http://www.w3.org/1999/xlink"
        x:href="http://a.example/1.jpg"/></m:file></m:fileGrp></m:fileSec></m:mets>""",
    "EAD": """
        <ead><c01><did><unittitle>Letters</unittitle></did><c02 id="M-1"><did><unittitle>A plate
        </unittitle><unitdate normal="1901"/><dao href="1.jpg"/></did></c02></c01></ead>""",
}


def mapped(tmp_path: Path, format_name: str, records: Path) -> AnyMapper:
    """A mapper of these records by the rules of the page."""
    (tmp_path / "1.jpg").touch()
    rules = RULES[format_name]
    source = f'[source]\ntable = "{records}"\n'
    rules = rules.replace("[source]\n", source) if "[source]" in rules else source + rules
    path = tmp_path / "collection.toml"
    path.write_text(f'[collection]\nidentifier = "museum"\nlabel = "Museum"\n{rules}')
    return open_mapper(read_mapping(path))


@pytest.mark.parametrize("format_name", RULES)
def test_the_rules_of_the_page_map_a_record_of_their_format(
    format_name: str, tmp_path: Path
) -> None:
    records = tmp_path / "records.xml"
    records.write_text(SAMPLES[format_name])
    (made,) = (
        one
        for one in mapped(tmp_path, format_name, records).objects()
        if not isinstance(one, RowNote)
    )
    item = made.item
    assert (item.identifier, item.label, list(made.files)) == ("M-1", {"none": ("A plate",)}, ["1"])
    assert item.nav_date[:4] == ("" if format_name == "METS" else "1901")


COMPONENTS = {
    "a dao in did": '<c><did><dao href="1.jpg"/></did></c>',
    "a dao next to did": '<c02><did/><dao x:href="1.jpg"/></c02>',
    "a group in did": '<c><did><daogrp><daoloc x:href="1.jpg"/></daogrp></did></c>',
    "a group next to did, with a thumbnail": '<c><did/><daogrp><daoloc x:href="t.jpg" '
    'x:label="thumbnail"/><daoloc x:href="1.jpg" x:label="reference"/></daogrp></c>',
    "EAD3, alone": '<c><did><dao daotype="derived" href="1.jpg"/></did></c>',
    "EAD3, in a set": '<c><did><daoset><dao localtype="thumb" href="t.jpg"/><dao href="1.jpg"/>'
    "</daoset></did></c>",
}


def test_digital_objects_of_finding_aids_are_found_wherever_they_are(tmp_path: Path) -> None:
    found = {}
    for kind, component in COMPONENTS.items():
        place = tmp_path / kind
        place.mkdir()
        (place / "a.xml").write_text(
            '<ead xmlns:x="http://www.w3.org/1999/xlink"><archdesc><did/><dsc>'
            + component.replace("><did", ' id="M-1"><did', 1)
            + "</dsc></archdesc></ead>"
        )
        made = mapped(place, "EAD", place / "a.xml").objects()
        found[kind] = [list(one.files) for one in made if not isinstance(one, RowNote)]
    assert found == {kind: [["1"]] for kind in COMPONENTS}


@pytest.mark.parametrize("format_name", ["METS", "MODS", "EAD"])
@pytest.mark.parametrize("name", ["manifest", "manifest.jpg", "collection"])
def test_an_image_with_a_name_that_no_image_may_have_is_named_after_the_one_before(
    format_name: str, name: str, tmp_path: Path
) -> None:
    records = tmp_path / "records.xml"
    sample = SAMPLES[format_name]
    found = re.search(r"[\w:/.-]*1\.(tif|jpg)|1\.tif", sample)
    assert found, sample
    records.write_text(sample.replace(found[0], f"https://a.example/book-1/{name}"))
    (made,) = (
        one
        for one in mapped(tmp_path, format_name, records).objects()
        if not isinstance(one, RowNote)
    )
    images = [canvas.image for canvas in made.item.canvases]
    assert images == [f"book-1-{name.removesuffix('.jpg')}"]


@pytest.mark.skipif(
    not FOLDER.is_dir(), reason="NOT TESTED: MUSEUM_RECORDS names no folder of others' XML records"
)
@pytest.mark.parametrize("folder", FOLDERS)
def test_every_record_of_others_is_mapped_or_refused_with_a_reason(
    folder: str, tmp_path: Path
) -> None:
    counts: Counter[str] = Counter()
    for number, path in enumerate(sorted((FOLDER / folder).glob("*.xml"))):
        place = tmp_path / str(number)
        place.mkdir()
        try:
            found = list(mapped(place, FOLDERS[folder], path).objects())
        except MappingUnusable as error:
            counts["refused: " + str(error).replace(str(path), "it")[:60]] += 1
            continue
        objects = [one for one in found if not isinstance(one, RowNote)]
        counts["objects"] += len(objects)
        counts["pages"] += sum(len(one.item.canvases) for one in objects)
        for note in found:
            if isinstance(note, RowNote) and (note.is_fault or "not published" in note.sentence):
                counts[f"left out: {note.rule}: {note.sentence[:70]}"] += 1
    print(f"\n{folder}:", *(f"  {count:6,} {what}" for what, count in counts.items()), sep="\n")
    assert counts["objects"] + sum(counts.values()) > 0
