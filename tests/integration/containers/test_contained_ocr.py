"""The image of the Lambda that reads pages by OCR, in a container as confined as Lambda's."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import pyvips

from loadtest.rigs.function_environment import SECONDS, RuntimeServer
from tests.free_ports import free_ports
from tests.integration.containers.container_engine import build, podman
from vitrine.bootstrap.local_service import REPOSITORY

IMAGE = "localhost/vitrine-ocr"
NAME = f"vitrine-ocr-{os.getpid()}"
NO_AWS = {
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_MAX_ATTEMPTS": "1",
    "POWERTOOLS_TRACE_DISABLED": "1",
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
from vitrine.present.ocr.page_image import PageImage
from vitrine.present.ocr.page_reader import tesseract_reader
from vitrine.present.text.page_text import CanvasSize

with tempfile.TemporaryDirectory() as folder:
    page = Path(folder, "page.png")
    pyvips.Image.new_from_file("/pages/page.tif", page=1).pngsave(str(page))
    reader = tesseract_reader(memory_mebibytes=1769, megapixels=40)
    text = reader.read(PageImage(page), "eng", CanvasSize(800, 400))
    print(*(word.text for line in text.lines for word in line.words))
"""


@pytest.fixture(scope="module")
def api(engine: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RuntimeServer]:
    """The Runtime API of a started container, which has asked for its first event."""
    build({"ocr": REPOSITORY})
    pages = tmp_path_factory.mktemp("pages")
    _write_page(pages / "page.tif")
    server = RuntimeServer()
    variables = NO_AWS | {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{free_ports(1)[0]}",
        "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{server.server_port}",
    }
    options = ["--network=host", "--read-only", "--cap-drop=ALL", "--tmpfs=/tmp:rw,mode=1777"]
    options += [f"--volume={pages}:/pages:ro"]
    options += [f"--env={name}={value}" for name, value in variables.items()]
    with server.running():
        podman("run", "--detach", f"--name={NAME}", *options, IMAGE)
        try:
            server.idle.get(timeout=SECONDS)
            yield server
        finally:
            podman("rm", "--force", "--time=5", NAME)


def _write_page(path: Path) -> None:
    """Write a pyramid whose second level has one word."""
    word = pyvips.Image.text("NINEVEH", font="sans 120", dpi=100).invert()
    page = word.embed(120, 120, 1600, 800, extend="white")
    page.tiffsave(str(path), tile=True, pyramid=True, compression="jpeg")
    path.chmod(0o644)
    path.parent.chmod(0o755)


def test_it_reads_a_word_of_a_pyramid(api: RuntimeServer) -> None:
    done = podman("exec", NAME, "python3", "-c", READ_PAGE)
    assert done.stdout.split() == ["NINEVEH"]


def test_a_message_that_cannot_be_worked_on_is_given_back_to_its_queue(api: RuntimeServer) -> None:
    # Nothing of AWS answers here.
    message = {"messageId": "7", "eventSource": "aws:sqs", "body": '{"detail":{"identifier":"a"}}'}
    api.events.put(json.dumps({"Records": [message]}).encode())
    api.idle.get(timeout=SECONDS)
    answer = api.answers.get(timeout=SECONDS)
    assert json.loads(answer.body) == {"batchItemFailures": [{"itemIdentifier": "7"}]}
    assert not api.failure


def test_nothing_in_it_runs_as_root_or_can_become_root(api: RuntimeServer) -> None:
    assert podman("exec", NAME, "id", "-u").stdout.strip() == "10001"
    found = podman("exec", NAME, "find", "/", "-xdev", "-type", "f", "-perm", "/6000", check=False)
    assert found.stdout == ""
