"""`vitrine masters dismiss` and `delete`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vitrine.bootstrap.deployment import Deployment
from vitrine.errors import ObjectMissing

Run = Callable[..., Any]


@pytest.mark.parametrize(
    "arguments", [("letter.tif",), ("--reason", "not-an-image"), ("--all",)], ids=str
)
def test_a_dismissed_rejection_is_on_no_list(
    run: Run, read_json: Run, letter: Path, arguments: tuple[str, ...]
) -> None:
    run("ingest", letter)
    result = run("masters", "dismiss", *arguments)
    assert (result.exit_code, result.output) == (0, "1 rejection dismissed\n")
    assert "letter.tif" not in run("status").output
    assert read_json("status")["counts"]["rejected"] == 0
    assert read_json("image", "list", "--rejected") == []
    assert "letter.tif: dismissed, rejected" in run("status", "letter.tif").output


def test_an_upload_after_a_dismissal_is_judged_again(
    run: Run, read_json: Run, letter: Path
) -> None:
    run("ingest", letter)
    run("masters", "dismiss", "--all")
    run("ingest", letter)
    assert read_json("status")["counts"]["rejected"] == 1


def test_what_is_not_rejected_cannot_be_dismissed(run: Run, picture: Path) -> None:
    run("ingest", picture)
    result = run("masters", "dismiss", "nacht wache.tif", "nothing.tif")
    assert result.exit_code == 1
    assert result.output == (
        "nacht wache.tif: there is no rejection of it on the list.\n"
        "nothing.tif: there is no rejection of it on the list.\n"
    )


@pytest.mark.parametrize("arguments", [(), ("a", "--all"), ("--all", "--reason", "x")], ids=str)
def test_what_to_dismiss_is_named_in_one_way(run: Run, arguments: tuple[str, ...]) -> None:
    assert run("masters", "dismiss", *arguments).exit_code == 2


def test_a_master_is_deleted_only_with_yes_and_the_consequences_are_named(
    run: Run, service: Deployment, picture: Path
) -> None:
    run("ingest", picture)
    shown = run("masters", "delete", "nacht wache.tif")
    assert shown.exit_code == 1
    assert "would be deleted: add --yes" in shown.output
    assert "nacht wache: its addresses answer 410 when the grace period is over" in shown.output
    assert service.masters.head("nacht wache.tif")
    done = run("masters", "delete", "nacht wache.tif", "--yes")
    assert (done.exit_code, "was deleted" in done.output) == (0, True)
    with pytest.raises(ObjectMissing):
        service.masters.head("nacht wache.tif")


def test_a_master_that_does_not_exist_cannot_be_deleted(run: Run) -> None:
    result = run("masters", "delete", "nothing.tif", "--yes")
    assert result.exit_code == 1
    assert 'There is no master "nothing.tif".' in result.output
