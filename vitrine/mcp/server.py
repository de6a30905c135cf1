"""The tools as programs see them: names, words for a model, and what each parameter may be."""

from typing import Annotated

from mcp.server.mcpserver import Image, MCPServer
from mcp_types import ToolAnnotations
from pydantic import Field

from vitrine import __version__
from vitrine.mcp import image_regions, objects, page_texts
from vitrine.mcp import search as search_tool
from vitrine.mcp.visitor import Visitor

MAX_QUERY_LENGTH = 200
MAX_IDENTIFIER_LENGTH = 1_024
MAX_REGION_LENGTH = 64
MAX_FOUND = 20
MAX_NUMBER = 1_000_000
MIN_SIDE = 64
INSTRUCTIONS = """\
A collection of digitised objects: pictures, books, letters, as high-resolution images with \
descriptions, and texts where pages have been read. Begin with `search`; `get_object` says which \
images an object has; `get_image_region` shows one, whole or any part of it, so look at the whole \
first, then go nearer; `get_page_text` reads a page. When you speak of an object, name its \
`page_address`, and its `credit` wherever you show its image; `rights` says what may be done with \
it.
"""
_READS = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
Identifier = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_IDENTIFIER_LENGTH,
        description="Identifier of the object or collection, as `search` says it.",
    ),
]


def build_server(visitor: Visitor) -> MCPServer[None]:
    """Return the server whose tools read as this visitor."""
    server: MCPServer[None] = MCPServer(
        "vitrine",
        title="Digitised objects",
        instructions=INSTRUCTIONS,
        website_url=visitor.base,
        version=__version__,
        log_level="WARNING",
        subscriptions=False,
    )
    _add_search(server, visitor)
    _add_get_object(server, visitor)
    _add_get_image_region(server, visitor)
    _add_get_page_text(server, visitor)
    return server


def _add_search(server: MCPServer[None], visitor: Visitor) -> None:
    @server.tool(title="Search the collection", annotations=_READS)
    async def search(
        query: Annotated[
            str,
            Field(
                min_length=1,
                max_length=MAX_QUERY_LENGTH,
                description="Words that all have to occur, in the language of the descriptions; "
                'in texts of pages, "words in quotation marks" have to follow each other.',
            ),
        ],
        most: Annotated[
            int, Field(ge=1, le=MAX_FOUND, description="Objects in the answer, at most.")
        ] = 10,
    ) -> search_tool.Found:
        """Find objects by their titles and descriptions, and pages by the words written on them.

        Few words find most: all of them have to occur. `total` says how many objects there are.
        """
        return await search_tool.search(visitor, query, most)


def _add_get_object(server: MCPServer[None], visitor: Visitor) -> None:
    @server.tool(title="Describe an object", annotations=_READS)
    async def get_object(
        identifier: Identifier,
        first: Annotated[
            int,
            Field(
                ge=1,
                le=MAX_NUMBER,
                description="Number of the first page, or member of a collection, in the answer.",
            ),
        ] = 1,
    ) -> objects.ShownObject:
        """Describe an object (who made it, when, its rights) and list its pages with their images.

        Of a collection it lists the members. An answer has up to 50; `next` is the `first` of the
        call for those that follow.
        """
        return await objects.get_object(visitor, identifier, first)


def _add_get_image_region(server: MCPServer[None], visitor: Visitor) -> None:
    @server.tool(title="Look at an image", annotations=_READS, structured_output=False)
    async def get_image_region(
        image: Annotated[
            str,
            Field(
                min_length=1,
                max_length=MAX_IDENTIFIER_LENGTH,
                description="Identifier of the image: `image` of a page of `get_object`.",
            ),
        ],
        region: Annotated[
            str,
            Field(
                max_length=MAX_REGION_LENGTH,
                description="`full`, `square` (the middle), `pct:x,y,w,h` in per cent of the image "
                "from its upper left corner, or `x,y,w,h` in pixels of its full size: "
                "`pct:0,0,50,50` is the upper left quarter.",
            ),
        ] = "full",
        longest_side: Annotated[
            int,
            Field(
                ge=MIN_SIDE,
                le=image_regions.MAX_SIDE,
                description="Pixels of the longer side of the answer, at most.",
            ),
        ] = image_regions.MAX_SIDE,
    ) -> list[Image | str]:
        """Show an image, or a part of it in more detail, and the address of exactly this picture.

        Look at `full` first to find what you look for, then ask for the part that has it: a small
        part is shown with up to as many pixels as the original has.
        """
        found = await image_regions.get_image_region(visitor, image, region, longest_side)
        return [Image(data=found.jpeg, format="jpeg"), found.address]


def _add_get_page_text(server: MCPServer[None], visitor: Visitor) -> None:
    @server.tool(title="Read a page", annotations=_READS)
    async def get_page_text(
        identifier: Identifier,
        page: Annotated[int, Field(ge=1, le=MAX_NUMBER, description="Number of the page, from 1.")],
    ) -> page_texts.PageText:
        """Return the text of a page whose `has_text` is true in the answer of `get_object`.

        Texts that a program read from images have errors: look at the image where it matters.
        """
        return await page_texts.get_page_text(visitor, identifier, page)
