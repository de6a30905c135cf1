"""XMP is delivered filtered and rewritten; doubtful or hostile content is left out."""

import re
import tracemalloc
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.deliver.embed.embed_files import PACKET, STATEMENT
from vitrine.deliver.embed.xmp import (
    MAX_PACKET_LENGTH,
    list_fitting,
    plain_text,
    select_properties,
    write_packet,
)
from vitrine.deliver.embed.xmp_fields import FORMS, RECORDS, Items

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"


def packet(inside: str, before: str = "") -> bytes:
    """A packet with this inside of its Description."""
    return (
        f'{before}<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="{RDF}" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" '
        'xmlns:tiff="http://ns.adobe.com/tiff/1.0/" '
        'xmlns:plus="http://ns.useplus.org/ldf/xmp/1.0/" '
        'xmlns:cc="http://creativecommons.org/ns#"><rdf:Description rdf:about="">'
        f"{inside}</rdf:Description></rdf:RDF></x:xmpmeta>"
    ).encode()


def test_listed_properties_are_read_in_every_form() -> None:
    assert select_properties(PACKET) == {
        "photoshop:Credit": (("x-default", "Rijksmuseum"),),
        "xmpRights:WebStatement": (("x-default", STATEMENT),),
        "dc:title": (("x-default", "The Night Watch"), ("nl", "De Nachtwacht")),
        "dc:creator": (("x-default", "Rembrandt"), ("x-default", "Workshop")),
        "dc:rights": (("x-default", "CC0 & free"),),
    }


@pytest.mark.parametrize(
    ("inside", "found"),
    [
        ("<dc:rights>CC0</dc:rights>", {"dc:rights": (("x-default", "CC0"),)}),
        (
            '<cc:license rdf:resource="https://example.org/by"/>',
            {"cc:license": (("x-default", "https://example.org/by"),)},
        ),
        ("<dc:rights> </dc:rights>", {}),
        ("<dc:rights><rdf:Alt/></dc:rights>", {}),
        ("<dc:rights><b>CC0</b></dc:rights>", {}),
        ('<dc:rights><rdf:Alt><rdf:li xml:lang="&lt;">a</rdf:li></rdf:Alt></dc:rights>', {}),
        ("<dc:rights><rdf:Alt><rdf:li><b>a</b></rdf:li></rdf:Alt></dc:rights>", {}),
        ("<dc:rights><rdf:Alt><rdf:li>a</rdf:li></rdf:Alt>b<c/></dc:rights>", {}),
        ("<xmp:CreateDate>yesterday</xmp:CreateDate>", {}),
        (
            "<xmp:CreateDate>2026-11-20T07:00Z</xmp:CreateDate>",
            {"xmp:CreateDate": (("x-default", "2026-11-20T07:00Z"),)},
        ),
        ("<xmp:CreateDate><rdf:Bag><rdf:li>2026</rdf:li><rdf:li>2027</rdf:li></rdf:Bag>"
         "</xmp:CreateDate>", {}),
        ("<dc:coverage>Amsterdam</dc:coverage>", {}),
        ("<tiff:Artist>Rembrandt</tiff:Artist>", {"dc:creator": (("x-default", "Rembrandt"),)}),
        (
            "<tiff:Artist>R.</tiff:Artist><dc:creator>Rembrandt</dc:creator>",
            {"dc:creator": (("x-default", "Rembrandt"),)},
        ),
    ],
)  # fmt: skip
def test_other_forms_are_understood_or_left_out(inside: str, found: dict[str, Items]) -> None:
    assert select_properties(packet(inside)) == found


LICENSOR = "<plus:LicensorName>Getty</plus:LicensorName>"
EMAIL = "<plus:LicensorEmail>a@example.org</plus:LicensorEmail>"


@pytest.mark.parametrize(
    "inside",
    [
        f'<rdf:Seq><rdf:li rdf:parseType="Resource">{LICENSOR}{EMAIL}</rdf:li></rdf:Seq>',
        f"<rdf:Seq><rdf:li><rdf:Description>{LICENSOR}{EMAIL}</rdf:Description></rdf:li></rdf:Seq>",
        '<rdf:Bag><rdf:li plus:LicensorName="Getty" plus:LicensorEmail="a@b"/></rdf:Bag>',
        f"<rdf:Description>{LICENSOR}{EMAIL}</rdf:Description>",
    ],
)
def test_a_licensor_is_named_in_every_form_but_not_its_addresses(inside: str) -> None:
    properties = select_properties(packet(f"<plus:Licensor>{inside}</plus:Licensor>"))
    assert properties == {"plus:Licensor": (("x-default", LICENSOR),)}
    assert select_properties(write_packet(properties)) == properties


def test_the_first_rights_get_the_room() -> None:
    texts = {"cc:license": "x" * 200, "dc:source": "y" * 300, "dc:identifier": "1"}
    properties = {name: (("x-default", text),) for name, text in texts.items()}
    assert list(list_fitting(properties, texts, 700)) == ["cc:license", "dc:identifier"]
    assert list(list_fitting(properties, texts, 400)) == ["dc:identifier"]
    assert len(write_packet(list_fitting(properties, texts, 700))) <= 700


BOMB = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 9))


@pytest.mark.parametrize(
    "hostile",
    [
        packet("<dc:rights>&e8;</dc:rights>", f'<!DOCTYPE x [<!ENTITY e0 "ha">{BOMB}]>'),
        packet("<dc:rights>&e;</dc:rights>", '<!DOCTYPE x [<!ENTITY e SYSTEM "/etc/passwd">]>'),
        packet("<dc:rights>CC0</dc:rights>", '<!DOCTYPE x SYSTEM "https://example.org/x.dtd">'),
        packet("<dc:rights>CC0</dc:rights>").decode().encode("utf-16"),
        packet("<dc:rights>CC0")[:-9],
        packet("<dc:rights>\xff</dc:rights>").decode().encode("latin-1"),
        b"",
        bytes(90_000),
        b"<a>" * 30_000,
        b"<a>" * 30_000 + b"</a>" * 30_000,
    ],
)
def test_declarations_damage_and_foreign_encodings_are_refused(hostile: bytes) -> None:
    tracemalloc.start()
    assert select_properties(hostile) == {}
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 32 << 20


def test_a_language_is_said_once() -> None:
    twice = "<rdf:Bag><rdf:li>CC0</rdf:li><rdf:li>CC-BY</rdf:li></rdf:Bag>"
    properties = select_properties(packet(f"<dc:rights>{twice}</dc:rights>"))
    assert properties == {"dc:rights": (("x-default", "CC0"),)}


def test_plain_texts_are_those_of_any_language() -> None:
    properties = select_properties(PACKET) | {"dc:rights": (("nl", "vrij"), ("en", "free"))}
    assert plain_text(properties, "dc:title") == "The Night Watch"
    assert plain_text(properties, "dc:creator") == "Rembrandt; Workshop"
    assert plain_text(properties, "dc:rights") == "vrij"
    assert plain_text(properties, "dc:description") == ""


def test_the_longest_property_gives_way() -> None:
    properties = {
        "dc:rights": (("x-default", "CC0"),),
        "dc:description": (("x-default", "é" * 40_000),),
    }
    assert select_properties(write_packet(properties)) == {"dc:rights": (("x-default", "CC0"),)}
    assert len(write_packet(properties, 1 << 20)) > MAX_PACKET_LENGTH
    assert write_packet(properties, 20) == b""
    assert write_packet({}) == b""


TEXTS = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"), min_size=1
)


NAMES = sorted(FORMS.keys() - RECORDS.keys())


@given(values=st.dictionaries(st.sampled_from(NAMES), TEXTS.filter(str.strip)))
def test_what_is_written_reads_back(values: dict[str, str]) -> None:
    values.pop("xmp:CreateDate", None)
    properties = {name: (("x-default", text.strip()),) for name, text in values.items()}
    written = write_packet(properties)
    assert select_properties(written) == properties
    if written:
        ElementTree.fromstring(re.sub(rb"^\xef\xbb\xbf", b"", written))


@given(st.binary(max_size=300))
def test_arbitrary_bytes_break_nothing(data: bytes) -> None:
    select_properties(data)
    select_properties(PACKET[:600] + data + PACKET[600:])
