"""The static copy is for everybody and has no doors: what is not open is nowhere in it."""

from pathlib import Path

import pytest

from tests.unit.export.export_bench import IMAGES, ExportBench, read_tree
from tests.unit.present.objects.object_bench import book
from vitrine.export.documents import SITE
from vitrine.export.names import file_name
from vitrine.identify import changes
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection

pytestmark = pytest.mark.slow

AT = "2026-11-25T08:00:00Z"


@pytest.fixture
def bench() -> ExportBench:
    bench = ExportBench()
    bench.objects.put(book("book", canvases=tuple(Canvas(image=image) for image in IMAGES)))
    bench.objects.put(book("card", canvases=(Canvas(image="one"),)))
    member = Member(identifier="card", label={"en": ("A card",)}, image="one")
    shelf = ObjectCollection(identifier="shelf", label={"en": ("A shelf",)}, members=(member,))
    bench.objects.put(shelf)
    return bench


def restrict(bench: ExportBench, rule: str) -> None:
    bench.register.change("one", changes.set_access("one", rule, AT))
    for identifier in ("book", "card", "shelf"):
        bench.publisher.publish(identifier)


def named_in(folder: Path) -> set[str]:
    """Files of the static tree whose path or text names the image."""
    name = file_name("one")
    return {
        path
        for path, body in read_tree(folder / SITE).items()
        if f"/{name}/" in f"/{path}" or f"/{name}".encode() in body
    }


@pytest.mark.parametrize("rule", ["closed", "staff", "small:700", "small:700:staff"])
def test_an_image_that_is_restricted_leaves_the_static_copy_and_comes_back(
    bench: ExportBench, tmp_path: Path, rule: str
) -> None:
    bench.export(tmp_path)
    before = named_in(tmp_path)
    assert before
    restrict(bench, rule)
    bench.export(tmp_path)
    assert named_in(tmp_path) == set()
    restrict(bench, "open")
    bench.export(tmp_path)
    assert named_in(tmp_path) == before


def test_an_object_without_a_public_image_has_no_manifest_in_a_later_export(
    bench: ExportBench, tmp_path: Path
) -> None:
    bench.export(tmp_path)
    assert (tmp_path / "data/manifests/3/card.json").exists()
    restrict(bench, "closed")
    bench.export(tmp_path)
    assert not (tmp_path / "data/manifests/3/card.json").exists()
    assert not (tmp_path / SITE / "presentation/3/card/manifest.json").exists()
