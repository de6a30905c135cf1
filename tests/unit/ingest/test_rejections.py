"""Rejections: stable codes, sentences for curators, a page that lists them all."""

import inspect

from docs.build.rejections_page import rejections_page
from vitrine.errors import MasterRejected
from vitrine.ingest import rejections
from vitrine.ingest.rejection_advice import EXAMPLES

CODES = {
    "conversion-differs",
    "damaged-file",
    "empty-file",
    "identifier-invalid",
    "identifier-missing",
    "identifier-redirects",
    "identifier-taken",
    "identifier-withdrawn",
    "master-deleted",
    "needs-too-much-disk",
    "needs-too-much-memory",
    "not-an-image",
    "tiles-too-large",
    "too-expensive-to-read",
    "too-large",
    "too-many-pages",
    "too-many-scans",
    "unflattened-picture",
    "unreadable-file",
    "high-dynamic-range",
    "unsupported-colour",
    "unsupported-compression",
    "unsupported-depth",
    "unsupported-format",
    "values-out-of-range",
}
"""Recorded in outcomes for good: a code may be added, never changed."""
OF_IDENTIFY = {"identifier-invalid", "identifier-missing"}


def test_codes_stay_what_they_are() -> None:
    assert {error.rejection.code for error, _ in EXAMPLES} == CODES


def test_every_rejection_is_on_the_page() -> None:
    makers = [
        name
        for name, function in inspect.getmembers(rejections, inspect.isfunction)
        if not name.startswith("_")
        and inspect.signature(function).return_annotation in (MasterRejected, "MasterRejected")
    ]
    ours = [error for error, _ in EXAMPLES if error.rejection.code not in OF_IDENTIFY]
    assert len(makers) == len(ours) == len(EXAMPLES) - len(OF_IDENTIFY)
    assert all(f"`{error.rejection.code}`" in rejections_page() for error, _ in EXAMPLES)


def test_no_more_of_a_masters_own_text_is_kept_than_fits_a_table() -> None:
    assert rejections.wrong_result("title", "x" * 1_000).rejection.value == "x" * 200


def test_every_rejection_says_what_is_wrong_and_where() -> None:
    for error, advice in EXAMPLES:
        assert error.rejection.sentence.endswith(".")
        assert error.rejection.value
        assert advice


def test_a_name_spelt_otherwise_says_so() -> None:
    composed, decomposed = "\u00c5.png", "A\u030a.png"
    for key, owner, form in ((composed, decomposed, "NFD"), (decomposed, composed, "NFC")):
        sentence = rejections.identifier_taken("\u00c5", owner, key).rejection.sentence
        assert "a master of the same name, spelt otherwise" in sentence
        assert f"({form})" in sentence


def test_a_file_of_no_known_format_is_quoted_by_its_first_sixteen_bytes() -> None:
    rejection = rejections.not_an_image(b"0123456789\n\xffdef, and more").rejection
    assert rejection.value == "0123456789\\n\\xffdef,"
    assert rejections.not_an_image(b"0123456789abcdefg").rejection.value == "0123456789abcdef"
