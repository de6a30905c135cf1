"""Names of exported files."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from vitrine.export.names import file_name

IDENTIFIERS = st.text(min_size=1, max_size=255)


@given(IDENTIFIERS)
@example("..")
@example("a/b")
@example("夜" * 85)
def test_a_name_is_one_that_any_file_system_and_server_takes(identifier: str) -> None:
    name = file_name(identifier)
    assert re.fullmatch(r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*", name)
    assert len(name) <= 200


@given(st.lists(IDENTIFIERS, min_size=2, max_size=8, unique=True))
@example(["a/b", "a~2Fb"])
@example(["x" * 161, "x" * 160])
def test_no_two_identifiers_have_one_name(identifiers: list[str]) -> None:
    assert len({file_name(identifier) for identifier in identifiers}) == len(identifiers)


def test_usual_identifiers_are_their_own_names() -> None:
    assert file_name("RP-P-1906_2.45") == "RP-P-1906_2.45"
    assert file_name("object/2026 5") == "object~2F2026~205"
