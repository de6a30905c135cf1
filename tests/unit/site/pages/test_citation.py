"""Citations as the readers of others read them."""

import re
from dataclasses import replace

import bibtexparser
import pytest
import rispy
from bibtexparser.library import Library
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.catalogue.object_bench import IMAGES, ObjectBench, book
from vitrine.iiif.presentation.model import Agent, Statement
from vitrine.site.pages.citation import Citation
from vitrine.store.site_layout import object_page_key
from vitrine.text.text_or_html import one_line

ADDRESS = "https://images.example.org/objects/a%2Fb%23c"
CITATION = Citation(
    key="a-b",
    title="Night & day: {a} study of 100 % $light_ #1 ~ \\textbf^2",
    makers=("Rijn, Rembrandt van", "Brueghel and Sons", "渡辺, 崋山", "Müller, Jörg, the Elder"),
    date="1640/1650",
    institution="Städel & Söhne",
    number="Inv_12/a",
    address=ADDRESS,
)
UNESCAPED = {
    r"\textbackslash{}": "\\",
    r"\textbraceleft{}": "{",
    r"\textbraceright{}": "}",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    **{f"\\{sign}": sign for sign in "$&#%_"},
}
LATEX = re.compile("|".join(map(re.escape, sorted(UNESCAPED, key=len, reverse=True))))
LINES = st.text(max_size=40).map(one_line)


def read_latex(text: str) -> str:
    """What LaTeX prints of an escaped text."""
    return LATEX.sub(lambda found: UNESCAPED[found[0]], text)


def read_bibtex(text: str) -> dict[str, str]:
    """The fields of the one entry of a file."""
    library: Library = bibtexparser.parse_string(text)
    assert library.failed_blocks == []
    (entry,) = library.entries
    assert entry.entry_type == "misc"
    return {name: field.value for name, field in entry.fields_dict.items()}


def test_bibtex_has_every_sign_of_a_text_as_latex_prints_it() -> None:
    fields = read_bibtex(CITATION.bibtex)
    assert fields["title"].startswith("{")
    assert read_latex(fields["title"][1:-1]) == CITATION.title
    assert read_latex(fields["howpublished"]) == CITATION.institution
    assert read_latex(fields["note"]) == CITATION.number
    assert (fields["year"], fields["url"]) == ("1640", ADDRESS)
    assert fields["author"].split(" and ", 1)[0] == "Rijn, Rembrandt van"
    assert "{Brueghel and Sons} and 渡辺, 崋山 and {Müller, Jörg, the Elder}" in fields["author"]


def test_ris_has_a_line_for_each_maker_and_the_date_in_its_parts() -> None:
    (read,) = rispy.loads(CITATION.ris)
    assert read["type_of_reference"] == "GEN"
    assert read["authors"] == list(CITATION.makers)
    assert read["title"] == CITATION.title
    assert (read["year"], read["date"]) == ("1640", "1640///1640-1650")
    assert read["database_provider"] == CITATION.institution
    assert read["call_number"] == CITATION.number
    assert read["urls"] == [ADDRESS]
    assert CITATION.ris.endswith("\r\nER  - \r\n")


def test_the_text_names_maker_title_date_place_and_address() -> None:
    plain = replace(CITATION, title="A study", makers=("Rijn, Rembrandt van",), date="c. 1640.")
    assert plain.text == (
        f"Rijn, Rembrandt van, A study, c. 1640. Städel & Söhne, Inv_12/a. {ADDRESS}"
    )


@pytest.mark.parametrize(
    ("date", "year"),
    [
        *(("1872", "1872"), ("1872-05-30", "1872"), ("1872-05~", "1872"), ("1640/1650", "1640")),
        *(("-0044-03-15", "-0044"), ("0800", "0800"), ("1872?", "1872")),
        *(
            ("c. 1640", "1640"),
            ("30. Mai 1872", "1872"),
            ("[1872]", "1872"),
            ("um 1872/73", "1872"),
        ),
        *(("17th century", ""), ("164X", ""), ("before 900", ""), ("12,1872", ""), ("", "")),
        *(("no. 18721", ""), ("MDCCCLXXII", "")),
    ],
)
def test_a_date_has_the_year_in_which_it_begins(date: str, year: str) -> None:
    dated = replace(CITATION, date=date)
    assert dated.year == year
    assert read_bibtex(dated.bibtex).get("year", "") == (year or date)
    (read,) = rispy.loads(dated.ris)
    assert read.get("year", "") == (year if year.isdecimal() else "")
    assert date.replace("/", "-") in (read.get("date", "///") + read.get("year", ""))


@given(st.lists(LINES.filter(bool), max_size=3).map(tuple), LINES, LINES, LINES, LINES)
def test_no_text_breaks_either_form(
    makers: tuple[str, ...], title: str, date: str, institution: str, number: str
) -> None:
    cited = Citation(
        key="k",
        title=title,
        makers=makers,
        date=date,
        institution=institution,
        number=number,
        address=ADDRESS,
    )
    fields = read_bibtex(cited.bibtex)
    assert read_latex(fields["title"][1:-1]) == title
    assert fields["url"] == ADDRESS
    lines = cited.ris.split("\r\n")
    assert (lines[0], lines[-2:]) == ("TY  - GEN", ["ER  - ", ""])
    assert [line for line in lines if line.startswith("UR  - ")] == [f"UR  - {ADDRESS}"]
    assert all(re.match(r"[A-Z][A-Z0-9]  - ", line) for line in lines[:-1])


def test_a_page_cites_its_object_by_the_labels_of_its_metadata() -> None:
    bench = ObjectBench(*IMAGES)
    bench.objects.put(
        book(
            metadata=(
                Statement(label={"de": ("Künstler",)}, value={"none": ("Käthe Kollwitz",)}),
                Statement(label={"en": ("Dated:",)}, value={"en": ("<i>c. 1903</i>",)}),
                Statement(label={"en": ("Inventory No.",)}, value={"none": ("A/7",)}),
            ),
            provider=(Agent(address="https://example.org", label={"en": ("Print Room",)}),),
        )
    )
    shown = bench.site.get(object_page_key("book"))[0].decode()
    assert ", c. 1903. Print Room, A/7. https://images.example.org/objects/book</p>" in shown
    assert 'data-citation="Käthe Kollwitz, ' in shown
    assert 'href="data:application/x-bibtex;charset=utf-8,%40misc%7Bbook%2C%0A' in shown
    assert 'download="book.ris"' in shown
