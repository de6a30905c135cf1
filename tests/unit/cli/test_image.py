"""`vitrine image`: an image's identifiers, its history, and its absence."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vitrine.bootstrap.deployment import Deployment
from vitrine.catalogue.objects import Objects
from vitrine.catalogue.publisher import Publisher
from vitrine.iiif.presentation.model import Canvas, PublishedObject
from vitrine.ports import ObjectStore
from vitrine.records import Gone, Live, Redirect

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("curated")]


@pytest.fixture(autouse=True)
def published(run: Any, picture: Path) -> None:
    """The image `SK-C-5`."""
    assert run("ingest", picture, "--identifier", "SK-C-5").exit_code == 0


def test_a_rename_leaves_the_old_name_as_a_redirect(
    run: Any, read_json: Callable[..., Any], service: Deployment
) -> None:
    renamed = run("image", "rename", "SK-C-5", "SK-C-05")
    assert renamed.exit_code == 0
    assert renamed.stdout.splitlines()[0] == "SK-C-05: renamed, and SK-C-5 redirects to it"
    assert isinstance(service.identifiers.get("SK-C-05"), Live)
    assert read_json("image", "rename", "SK-C-5", "SK-C-05")["state"] == "renamed", (
        "a second time is well"
    )
    [first, second] = read_json("image", "history", "SK-C-5")
    assert (first["state"], second["state"], second["target"]) == ("live", "redirect", "SK-C-05")


def test_a_name_that_is_not_free_is_not_given(
    run: Any, service: Deployment, picture: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.tif"
    other.write_bytes(picture.read_bytes())
    assert run("ingest", other).exit_code == 0
    run("redirects", "add", "led", "other")
    for new, word in (
        ("other", "already an image"),
        ("led", "redirects remove led"),
        ("3", "reserved"),
    ):
        refused = run("image", "rename", "SK-C-5", new)
        assert refused.exit_code == 1
        assert word in refused.stderr
    assert run("image", "rename", "nobody", "x").exit_code == 1
    assert isinstance(service.identifiers.get("SK-C-5"), Live)


def test_a_withdrawn_image_s_name_is_given_only_when_that_is_said(
    run: Any, service: Deployment, picture: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.tif"
    other.write_bytes(picture.read_bytes())
    assert run("ingest", other).exit_code == 0
    run("image", "withdraw", "other", "--reason", "Rights ended.")
    refused = run("image", "rename", "SK-C-5", "other")
    assert refused.exit_code == 1
    assert "withdrawn image (Rights ended.)" in refused.stderr
    assert isinstance(service.identifiers.get("other"), Gone)
    assert run("image", "rename", "SK-C-5", "other", "--replace-withdrawn").exit_code == 0
    assert isinstance(service.identifiers.get("other"), Live)


def test_names_can_be_changed_back(run: Any, service: Deployment) -> None:
    for old, new in (("SK-C-5", "b"), ("b", "SK-C-5")):
        assert run("image", "rename", old, new).exit_code == 0
    assert isinstance(service.identifiers.get("SK-C-5"), Live)
    assert isinstance(service.identifiers.get("b"), Redirect)


def test_a_withdrawn_image_tells_why_and_can_be_restored(
    run: Any, read_json: Callable[..., Any], service: Deployment
) -> None:
    assert run("image", "withdraw", "SK-C-5", "--reason", " Rights ended. ").exit_code == 0
    tombstone = service.identifiers.get("SK-C-5")
    assert isinstance(tombstone, Gone)
    assert tombstone.reason == "Rights ended."
    events = [name for name, _ in service.events.events]  # type: ignore[attr-defined]
    assert events[-2:] == ["ImageChanged", "ImageWithdrawn"], "who lists images must hear of it"
    shown = run("image", "show", "SK-C-5")
    assert shown.exit_code == 1
    assert "answers 410" in shown.stdout
    assert "Rights ended." in shown.stdout
    assert read_json("image", "withdraw", "SK-C-5", "--reason", "Rights ended.")["made"] is False
    assert run("image", "restore", "SK-C-5").exit_code == 0
    assert isinstance(service.identifiers.get("SK-C-5"), Live)
    assert run("image", "restore", "SK-C-5").exit_code == 0, "a second time is well"


def test_a_withdrawal_names_the_objects_that_show_the_image(
    run: Any, read_json: Callable[..., Any], publisher: Publisher
) -> None:
    for name, image in (("book", "SK-C-5"), ("other", "other"), ("former", "SK-C-5")):
        Objects(publisher).put(
            PublishedObject(identifier=name, label={"en": (name,)}, canvases=(Canvas(image=image),))
        )
    Objects(publisher).withdraw("former", "A claim.")
    said = run("image", "withdraw", "SK-C-5", "--reason", "Rights ended.").stdout
    assert "Shown without it within a minute or so: book\n" in said
    assert "`vitrine object withdraw ID`" in said
    again = read_json("image", "withdraw", "SK-C-5", "--reason", "Rights ended.")
    assert again["objects"] == ["book"]


def test_only_images_are_withdrawn_and_only_withdrawn_ones_restored(run: Any) -> None:
    run("redirects", "add", "old", "SK-C-5")
    for arguments in (
        ("image", "withdraw", "old", "--reason", "x"),
        ("image", "withdraw", "nobody", "--reason", "x"),
        ("image", "restore", "old"),
        ("image", "restore", "nobody"),
    ):
        assert run(*arguments).exit_code == 1, arguments
    assert run("image", "withdraw", "SK-C-5", "--reason", " ").exit_code == 2


def test_what_cannot_be_restored_is_said(
    run: Any, service: Deployment, store_delete: Callable[[ObjectStore, str], None]
) -> None:
    run("image", "withdraw", "SK-C-5", "--reason", "x")
    store_delete(service.masters, "nacht wache.tif")
    refused = run("image", "restore", "SK-C-5")
    assert refused.exit_code == 1
    assert 'Upload it again, as "SK-C-5"' in refused.stderr


def test_a_withdrawn_name_is_not_restored_over_the_image_s_new_name(
    run: Any, picture: Path, service: Deployment
) -> None:
    run("image", "withdraw", "SK-C-5", "--reason", "x")
    assert run("ingest", picture, "--identifier", "b").exit_code == 1
    permitted = ("--identifier", "b", "--replace-withdrawn")
    assert run("ingest", picture, *permitted).exit_code == 0
    refused = run("image", "restore", "SK-C-5")
    assert refused.exit_code == 1
    assert "vitrine redirects add SK-C-5 b" in refused.stderr


def test_an_identifier_is_shown_with_its_answer(run: Any, read_json: Callable[..., Any]) -> None:
    run("redirects", "add", "old", "SK-C-5", "--note", "merged")
    shown = run("image", "show", "old")
    assert (shown.exit_code, shown.stdout) == (
        0,
        "old: answers 301\n  redirect to SK-C-5 (merged)\n",
    )
    assert read_json("image", "show", "SK-C-5")["answers"] == 200
    assert run("image", "show", "nobody").exit_code == 1
    assert run("image", "history", "nobody").exit_code == 1


@pytest.fixture
def store_delete() -> Callable[[ObjectStore, str], None]:
    """What a curator does."""
    return lambda store, key: store.delete(key)  # type: ignore[attr-defined]


def test_a_name_that_an_image_has_already_is_said_at_once(run: Any) -> None:
    for new in ("SK-C-5", "SK-C-5"):
        result = run("image", "rename", "SK-C-5", new, "--timeout", "60")
        assert (result.exit_code, result.stdout) == (
            0,
            "SK-C-5 has that name already; nothing was changed.\n",
        )
    assert run("image", "rename", "nobody", "nobody").exit_code == 1


def test_a_rename_that_ends_rejected_prints_no_address(
    run: Any, picture: Path, service: Deployment
) -> None:
    """The newest upload is damaged; once it is mended, it has the name that it had."""
    sound = picture.read_bytes()
    picture.write_bytes(sound[:-20_000])
    assert run("ingest", picture).exit_code == 1
    result = run("image", "rename", "SK-C-5", "SK-C-0005")
    assert result.exit_code == 1
    assert "SK-C-0005: rejected" in result.stdout
    assert "SK-C-5 stays as it was, and keeps its name." in result.stdout
    assert "http://" not in result.stdout
    picture.write_bytes(sound)
    assert "published as SK-C-5 in" in run("ingest", picture).stdout


def test_a_restoration_of_what_is_live_says_so(run: Any, picture: Path, tmp_path: Path) -> None:
    result = run("image", "restore", "SK-C-5")
    assert (result.exit_code, result.stdout) == (
        0,
        "SK-C-5 is live; there is nothing to restore.\n",
    )
    run("image", "withdraw", "SK-C-5", "--reason", "Estate.")
    other = tmp_path / "another.tif"
    other.write_bytes(picture.read_bytes())
    refused = run("ingest", other, "--identifier", "SK-C-5")
    assert refused.exit_code == 1
    assert "code identifier-withdrawn; found: Estate." in refused.stdout
    taken = run("ingest", other, "--identifier", "SK-C-5", "--replace-withdrawn")
    assert taken.exit_code == 0
    result = run("image", "restore", "SK-C-5")
    assert result.exit_code == 1
    assert '"SK-C-5" is live as something else: it shows the master "another.tif"' in result.stderr


def test_a_previous_identifier_is_taken_when_that_is_said(
    run: Any, picture: Path, tmp_path: Path
) -> None:
    run("image", "rename", "SK-C-5", "b")
    other = tmp_path / "another.tif"
    other.write_bytes(picture.read_bytes())
    refused = run("ingest", other, "--identifier", "SK-C-5")
    assert "code identifier-redirects; found: b" in refused.stdout
    taken = run("ingest", other, "--identifier", "SK-C-5", "--replace-redirect")
    assert taken.exit_code == 0, taken.output
    assert run("ingest", other, "--replace-redirect").exit_code == 2


def test_a_rule_of_access_is_set_shown_and_kept(
    run: Any, read_json: Callable[..., Any], service: Deployment, picture: Path
) -> None:
    assert run("access", "image", "SK-C-5").stdout == "SK-C-5: open\n"
    assert run("access", "image", "SK-C-5", "small:1000").stdout == "SK-C-5: small:1000\n"
    assert run("access", "image", "SK-C-5", "small:1000").stdout == "SK-C-5: small:1000 already\n"
    assert "access small:1000" in run("image", "show", "SK-C-5").stdout
    run("image", "rename", "SK-C-5", "new")
    assert read_json("access", "image", "new")["access"] == "small:1000"
    refused = run("access", "image", "new", "small:10")
    assert refused.exit_code == 1
    assert "is no rule of access" in refused.stderr
    refused = run("access", "image", "SK-C-5", "open")
    assert refused.exit_code == 1
    assert 'redirects to "new"' in refused.stderr
    assert read_json("access", "image", "new", "open") == {
        "identifier": "new",
        "access": "open",
        "is_own": True,
        "collections": {},
        "made": True,
    }


def test_a_rule_waits_for_its_image(run: Any, service: Deployment, picture: Path) -> None:
    assert run("access", "image", "secret", "closed").exit_code == 0
    assert run("ingest", picture, "--identifier", "secret").exit_code == 0
    record = service.identifiers.get("secret")
    assert isinstance(record, Live)
    assert record.access == "closed"
