"""A program that speaks MCP finds an object, looks at a detail and reads a page, by /mcp alone."""

import asyncio
import base64
import json
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy
import pytest
import pyvips
from mcp import Client
from mcp_types import CallToolResult, ImageContent, TextContent

from stacks.constructs.mcp_function import MEMORY_MEBIBYTES
from tests.e2e.mcp_figures import LAMBDA_GIBIBYTES, measure_tools

if TYPE_CHECKING:
    from conftest import Service

WIDTH, HEIGHT = 3_000, 2_000
GROUND, FLOWER = (90, 90, 90), (220, 40, 60)
CENTRE, RADIUS = (600, 500), 150
"""In the upper left: a fifth of the picture's width from the edge."""
SHEET = "mcp-sheet-1"
ALTO = f"""<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Description>
<MeasurementUnit>pixel</MeasurementUnit></Description><Layout>
<Page WIDTH="{WIDTH}" HEIGHT="{HEIGHT}"><PrintSpace><TextBlock LANG="en"><TextLine>
<String CONTENT="Flora" HPOS="10" VPOS="10" WIDTH="100" HEIGHT="50"/>
<String CONTENT="quincunx" HPOS="200" VPOS="10" WIDTH="100" HEIGHT="50"/></TextLine><TextLine>
<String CONTENT="fecit" HPOS="10" VPOS="80" WIDTH="100" HEIGHT="50"/>
</TextLine></TextBlock></PrintSpace></Page></Layout></alto>"""
RULES = """[collection]
identifier = "mcp-herbarium"
label = "Herbarium"
language = "en"
[source]
table = "sheets.csv"
masters = "scans"
texts = "texts"
[object]
identifier = "{Number}"
label = "{Title}"
image = "{Page}"
[metadata]
"Maker" = "{Maker}"
"""


@pytest.fixture(scope="module")
def running(service: "Service", tmp_path_factory: pytest.TempPathFactory) -> "Service":
    """The tests' service with a sheet that has a flower in the upper left, and a text."""
    folder = tmp_path_factory.mktemp("herbarium")
    for name in ("scans", "texts"):
        (folder / name).mkdir()
    ground = pyvips.Image.black(WIDTH, HEIGHT).bandjoin([0, 0]) + list(GROUND)
    sheet = ground.cast("uchar").copy(interpretation="srgb")
    sheet = sheet.draw_circle(list(FLOWER), *CENTRE, RADIUS, fill=True)
    sheet.tiffsave(str(folder / "scans" / "mcp-sheet.tif"))
    (folder / "texts" / "mcp-sheet.xml").write_text(ALTO)
    (folder / "sheets.csv").write_text(
        "Number,Title,Page,Maker\nmcp-sheet-1,A zinnia for Flora,mcp-sheet.tif,Maria Sibylla\n"
    )
    (folder / "collection.toml").write_text(RULES)
    done = service.run("collection", "publish", folder / "collection.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    return service


class Agent:
    """A client of the SDK that calls one tool after the other."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, name: str, **arguments: Any) -> CallToolResult:
        return await self._client.call_tool(name, arguments)

    async def read(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Return what a tool answers. Raises AssertionError for an error."""
        result = await self.call(name, **arguments)
        assert not result.is_error, result.content
        assert result.structured_content is not None
        return result.structured_content

    async def look(self, **arguments: Any) -> Any:
        """Return the pixels of an image. Raises AssertionError for an error."""
        result = await self.call("get_image_region", **arguments)
        assert not result.is_error, result.content
        picture, address = result.content
        assert isinstance(picture, ImageContent)
        assert picture.mime_type == "image/jpeg"
        body = base64.b64decode(picture.data)
        # The address gives anybody the same picture.
        assert isinstance(address, TextContent)
        assert address.text.startswith("http")
        with urllib.request.urlopen(address.text, timeout=60) as answer:
            assert answer.read() == body
        return pyvips.Image.new_from_buffer(body, "").numpy()


def _redness(pixels: Any) -> Any:
    return pixels[..., 0].astype(int) - pixels[..., 1]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_agent_shows_the_detail_of_the_flower_in_the_upper_left(
    running: "Service", mode: Any
) -> None:
    """By the protocol of 2026 and by that before it."""

    async def answer() -> None:
        async with Client(f"{running.addresses.edge_url}/mcp", mode=mode) as client:
            agent = Agent(client)
            found = await agent.read("search", query="zinnia flora")
            assert [one["identifier"] for one in found["objects"]] == [SHEET]
            sheet = await agent.read("get_object", identifier=found["objects"][0]["identifier"])
            assert sheet["metadata"] == ["Maker: Maria Sibylla"]
            assert sheet["part_of"] == ["mcp-herbarium"]
            (page,) = sheet["pages"]
            assert (page["width"], page["height"], page["has_text"]) == (WIDTH, HEIGHT, True)
            whole = await agent.look(image=page["image"], longest_side=300)
            assert whole.shape == (200, 300, 3)
            rows, columns = numpy.nonzero(_redness(whole) > 80)
            # As far as it goes, and it is in the upper left quarter.
            left, right = columns.min() / 3, (columns.max() + 1) / 3
            top, bottom = rows.min() / 2, (rows.max() + 1) / 2
            assert right < 50
            assert bottom < 50
            region = f"pct:{left:.2f},{top:.2f},{right - left:.2f},{bottom - top:.2f}"
            detail = await agent.look(image=page["image"], region=region)
            # With all the pixels that the original has of it: ten times as many as before.
            assert 2 * RADIUS <= detail.shape[1] <= 2 * RADIUS + 40
            middle = detail[detail.shape[0] // 2, detail.shape[1] // 2].astype(int)
            assert abs(middle - FLOWER).max() < 12
            assert (_redness(detail) > 80).mean() > 0.7

    asyncio.run(answer())


def test_texts_of_pages_are_found_and_read(running: "Service") -> None:
    async def answer() -> None:
        async with Client(f"{running.addresses.edge_url}/mcp") as client:
            agent = Agent(client)
            while not (found := await agent.read("search", query="quincunx"))["pages"]:
                await asyncio.sleep(1)
            assert found["pages"] == [
                {
                    "identifier": SHEET,
                    "title": "A zinnia for Flora",
                    "page": 1,
                    "quote": "Flora quincunx fecit",
                }
            ]
            text = await agent.read("get_page_text", identifier=SHEET, page=1)
            assert text["text"] == "Flora quincunx\nfecit"
            assert (text["languages"], text["is_whole"]) == (["en"], True)

    asyncio.run(answer())


def test_a_collection_lists_its_members(running: "Service") -> None:
    async def answer() -> None:
        async with Client(f"{running.addresses.edge_url}/mcp") as client:
            shown = await Agent(client).read("get_object", identifier="mcp-herbarium")
            assert (shown["kind"], shown["title"]) == ("collection", "Herbarium")
            assert [one["identifier"] for one in shown["members"]] == [SHEET]
            assert shown["page_address"].endswith("/collections/mcp-herbarium")

    asyncio.run(answer())


def test_it_sees_of_an_image_what_a_visitor_without_a_ticket_sees(running: "Service") -> None:
    async def answer(rule: str, is_so: Callable[[CallToolResult], bool]) -> None:
        done = running.run("access", "image", "mcp-sheet", rule)
        assert done.returncode == 0, done.stdout + done.stderr
        async with Client(f"{running.addresses.edge_url}/mcp") as client:
            agent = Agent(client)
            while not is_so(await agent.call("get_image_region", image="mcp-sheet")):
                await asyncio.sleep(1)

    def is_small(result: CallToolResult) -> bool:
        picture = result.content[0]
        if not isinstance(picture, ImageContent):
            return False
        image = pyvips.Image.new_from_buffer(base64.b64decode(picture.data), "")
        return bool(max(image.width, image.height) <= 300)

    def is_refused(result: CallToolResult) -> bool:
        said = result.content[0]
        words = "This is not shown to everybody: this image is not public."
        return result.is_error and isinstance(said, TextContent) and words in said.text

    asyncio.run(answer("small:300", is_small))
    asyncio.run(answer("closed", is_refused))
    asyncio.run(answer("open", lambda result: not result.is_error))


def test_a_call_reads_few_addresses_and_answers_little(running: "Service") -> None:
    """What it costs is printed by `python -m tests.e2e.mcp_figures`, and judged by people."""
    found = {one.tool: one for one in measure_tools(running.addresses.edge_url, 2, "zinnia")}
    assert set(found) == {"search", "get_object", "get_image_region", "get_page_text"}
    assert found["search"].reads <= 4
    assert [one.reads for one in found.values() if one.tool != "search"] == [1, 1, 1]
    assert all(0 < one.answer_bytes < 200_000 for one in found.values())
    assert LAMBDA_GIBIBYTES * 1_024 == MEMORY_MEBIBYTES


def test_what_was_withdrawn_is_refused_with_the_reason(running: "Service") -> None:
    done = running.run("object", "withdraw", SHEET, "--reason", "A claim.")
    assert done.returncode == 0, done.stdout + done.stderr

    async def answer() -> None:
        async with Client(f"{running.addresses.edge_url}/mcp") as client:
            agent = Agent(client)
            while not (result := await agent.call("get_object", identifier=SHEET)).is_error:
                await asyncio.sleep(1)
            (said,) = result.content
            assert isinstance(said, TextContent)
            assert "no longer shown" in said.text
            assert "A claim." in said.text

    asyncio.run(answer())


def test_llms_txt_names_the_endpoint(running: "Service") -> None:
    edge = running.addresses.edge_url
    with urllib.request.urlopen(f"{edge}/llms.txt", timeout=60) as answer:
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert f"({edge}/mcp)" in answer.read().decode()
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{edge}/mcp", timeout=60)
    assert refused.value.code == 405
    assert "Model Context Protocol" in json.load(refused.value)["error"]["message"]
    headers = {"Origin": "https://page.example.org", "Access-Control-Request-Method": "POST"}
    preflight = urllib.request.Request(f"{edge}/mcp", method="OPTIONS", headers=headers)
    with urllib.request.urlopen(preflight, timeout=60) as answer:
        assert (answer.status, answer.headers["access-control-allow-origin"]) == (204, "*")
