"""XML that would harm is refused, and what was read is dropped."""

import io
from collections.abc import Iterator

import pytest

from tests.unit.text.transcription.text_bench import CANVAS, alto, refusal
from vitrine.errors import TextRefused
from vitrine.text.transcription import read_text as read_text_module
from vitrine.text.transcription.read_text import read_text
from vitrine.text.transcription.xml_events import read_events, read_pieces

BOMB = '<!DOCTYPE alto [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
ELSEWHERE = '<!DOCTYPE alto [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
PARAMETER = '<!DOCTYPE alto [<!ENTITY % a "ha">]>'


@pytest.mark.parametrize("declared", [BOMB, ELSEWHERE, PARAMETER])
def test_a_document_that_declares_entities_is_refused(declared: str) -> None:
    document = declared + alto('<TextLine><String CONTENT="x"/></TextLine>')
    assert refusal("1.xml", document)[0] == "entities"


@pytest.mark.parametrize(
    "body",
    [
        "",
        "no XML",
        alto("")[:-9],
        alto("&b;"),
        alto("<TextLine></String>"),
        "<alto>" * 100_000,
        '<?xml version="1.0" encoding="klingon"?>' + alto(""),
        alto("\x01"),
    ],
)
def test_damaged_xml_is_refused_with_the_reason(body: str) -> None:
    code, sentence = refusal("1.xml", body)
    assert code == "xml"
    assert sentence.startswith("it is not XML: ")


def test_a_file_that_is_too_large_is_refused_before_it_is_read_to_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(read_text_module, "MAX_BYTES", 1 << 20)
    file = io.BytesIO(alto("<TextLine/>" * 200_000).encode())
    with pytest.raises(TextRefused, match="larger than 1 MiB"):
        read_text("1.xml", file, CANVAS)
    assert file.tell() < 2 << 20


def test_only_what_is_open_stays_in_memory() -> None:
    def pieces() -> Iterator[bytes]:
        yield b"<alto>"
        for _ in range(100):
            yield b"<a><b>text</b></a>" * 100
        yield b"</alto>"

    most, root = 0, None
    for _, name, element in read_events(pieces()):
        root = root if root is not None else element
        if name == "a":
            most = max(most, len(root))
    # What one piece of the file has is built before any of it is reported.
    assert 1 <= most <= 101


def test_a_file_is_read_in_pieces() -> None:
    assert b"".join(read_pieces(io.BytesIO(b"x" * 200_000), 200_000)) == b"x" * 200_000
