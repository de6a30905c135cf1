"""`vitrine image list`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def museum(run: Run, picture: Path, selection: Path, letter: Path) -> None:
    """A live image, a withdrawn one, and a rejected master."""
    run("ingest", picture, selection, letter)
    run("image", "withdraw", "selection", "--reason", "A wish of the estate.")


def test_live_withdrawn_and_rejected_are_listed_apart(museum: None, run: Run) -> None:
    live, withdrawn, rejected = (
        run("image", "list", *option).output for option in ((), ("--withdrawn",), ("--rejected",))
    )
    assert live.startswith("nacht wache  300 x 200 px, published 2")
    assert "from nacht wache.tif" in live
    assert "selection  withdrawn 2" in withdrawn
    assert withdrawn.endswith(": A wish of the estate.\n")
    assert "letter.tif  rejected 2" in rejected
    assert "code not-an-image; found: Dear colleague" in rejected
    assert len({*live.splitlines(), *withdrawn.splitlines(), *rejected.splitlines()}) == 4


def test_a_text_is_found_in_identifier_master_and_reason(museum: None, read_json: Run) -> None:
    assert [item["identifier"] for item in read_json("image", "list", "WACHE.T")] == ["nacht wache"]
    assert read_json("image", "list", "selection") == []
    [withdrawn] = read_json("image", "list", "estate", "--withdrawn")
    assert withdrawn["identifier"] == "selection"


def test_nothing_to_list_is_a_sentence(run: Run) -> None:
    assert run("image", "list").output == "There is no image.\n"
    assert run("image", "list", "x", "--withdrawn").output == (
        'There is no withdrawn image with "x".\n'
    )


def test_a_list_that_is_cut_says_so(museum: None, run: Run) -> None:
    assert (
        "These are the newest 1; --limit shows more." in run("image", "list", "--limit", "1").output
    )


def test_two_lists_at_once_are_wrong_usage(run: Run) -> None:
    assert run("image", "list", "--withdrawn", "--rejected").exit_code == 2
