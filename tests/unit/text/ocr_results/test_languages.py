"""Languages are those that Tesseract can have, and nothing that a program could misread."""

import pytest

from tests.unit.catalogue.object_bench import book
from vitrine.catalogue.rules import find_faults


@pytest.mark.parametrize("ocr", ["", "eng", "deu+frk", "chi_sim+eng", "chi_tra_vert", "deu_latf"])
def test_names_of_tesseract_are_languages(ocr: str) -> None:
    assert list(find_faults(book(ocr=ocr))) == []


@pytest.mark.parametrize(
    "ocr", ["de", "deu,frk", "../eng", "eng+", "eng+eng", "-l", "deu frk", "osd"]
)
def test_anything_else_is_named(ocr: str) -> None:
    (fault,) = find_faults(book(ocr=ocr))
    assert fault.startswith(f'ocr: "{ocr}" is no list of languages')


def test_more_languages_than_a_page_is_read_in_are_refused() -> None:
    (fault,) = find_faults(book(ocr="aaa+bbb+ccc+ddd+eee+fff"))
    assert "6 languages are too many" in fault
