"""The image of the Lambda that reads pages by OCR, in a container as confined as Lambda's."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import pyvips

from tests.integration.containers.contained_function import ContainedFunction, started_function
from tests.rigs.runtime_api import SECONDS

VARIABLES = {
    "VITRINE_RECORDS_BUCKET": "nowhere",
    "VITRINE_ACCESS_MASTERS_BUCKET": "nowhere",
    "VITRINE_IDENTIFIERS_TABLE": "nowhere",
    "VITRINE_EVENT_BUS": "nowhere",
    "VITRINE_LANGUAGES": "eng",
}
READ_PAGE = """
import tempfile
from pathlib import Path
import pyvips
from vitrine.sources.ocr.page_image import PageImage
from vitrine.sources.ocr.page_reader import tesseract_reader
from vitrine.text.transcription.page_text import CanvasSize

with tempfile.TemporaryDirectory() as folder:
    page = Path(folder, "page.png")
    pyvips.Image.new_from_file("/pages/page.tif", page=1).pngsave(str(page))
    reader = tesseract_reader(memory_mebibytes=1769, megapixels=40)
    text = reader.read(PageImage(page), "eng", CanvasSize(800, 400))
    print(*(word.text for line in text.lines for word in line.words))
"""


@pytest.fixture(scope="module")
def contained(
    engine: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ContainedFunction]:
    """The Lambda, started, with a page to read."""
    pages = tmp_path_factory.mktemp("pages")
    _write_page(pages / "page.tif")
    with started_function("ocr", VARIABLES, volumes=[f"{pages}:/pages:ro"]) as started:
        yield started


def _write_page(path: Path) -> None:
    """Write a pyramid whose second level has one word."""
    word = pyvips.Image.text("NINEVEH", font="sans 120", dpi=100).invert()
    page = word.embed(120, 120, 1600, 800, extend="white")
    page.tiffsave(str(path), tile=True, pyramid=True, compression="jpeg")
    path.chmod(0o644)
    path.parent.chmod(0o755)


def test_it_reads_a_word_of_a_pyramid(contained: ContainedFunction) -> None:
    assert contained.run("python3", "-c", READ_PAGE).split() == ["NINEVEH"]


def test_a_message_that_cannot_be_worked_on_is_given_back_to_its_queue(
    contained: ContainedFunction,
) -> None:
    api = contained.api
    # Nothing of AWS answers here.
    message = {"messageId": "7", "eventSource": "aws:sqs", "body": '{"detail":{"identifier":"a"}}'}
    api.events.put(json.dumps({"Records": [message]}).encode())
    api.idle.get(timeout=SECONDS)
    answer = api.answers.get(timeout=SECONDS)
    assert json.loads(answer.body) == {"batchItemFailures": [{"itemIdentifier": "7"}]}
    assert not api.failure


def test_nothing_in_it_runs_as_root_or_can_become_root(contained: ContainedFunction) -> None:
    assert contained.run("id", "-u").strip() == "10001"
    assert contained.list_ways_to_root() == ""
