"""What an address refuses becomes an error that says why, in words for a model."""

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from tests.unit.mcp.files_visitor import BASE, Said, visit
from vitrine.mcp.visitor import MAX_REDIRECTS, NothingThere

REASON = b'{"status":0,"reason":"because"}'


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ((404, {}, REASON), "There is nothing at this name: because."),
        ((410, {}, REASON), "This is no longer shown: because."),
        ((401, {}, REASON), "This is not shown to everybody: because."),
        ((403, {}, REASON), "This is not shown to everybody: because."),
        ((429, {"retry-after": "7"}, REASON), "is busy (because). Try again after 7 seconds."),
        ((503, {"retry-after": "2"}, REASON), "is busy (because). Try again after 2 seconds."),
        ((429, {}, b"<html>"), "is busy (status 429). Try again after some seconds."),
        ((400, {}, b'{"detail":"q is too long."}'), "answers 400: q is too long."),
        ((500, {}, b""), "answers 500: status 500."),
    ],
)
async def test_a_refusal_says_the_reason(said: Said, words: str) -> None:
    with pytest.raises(ToolError) as error:
        await visit({f"{BASE}/a": said}).read("/a", 100)
    assert words in str(error.value)


async def test_redirects_are_followed_on_this_server_alone() -> None:
    moved: dict[str, Said | bytes] = {
        f"{BASE}/old": (301, {"location": "/new"}, b""),
        f"{BASE}/new": b"here",
        f"{BASE}/away": (302, {"location": "https://elsewhere.example/"}, b""),
        f"{BASE}/name": (302, {"location": "https://images.example.org.elsewhere.example/"}, b""),
        f"{BASE}/round": (301, {"location": "/round"}, b""),
        "https://elsewhere.example/": b"secret",
        "https://images.example.org.elsewhere.example/": b"secret",
    }
    answer = await visit(moved).read("/old", 100)
    assert (answer.address, answer.body) == (f"{BASE}/new", b"here")
    for path in ("/away", "/name"):
        with pytest.raises(ToolError, match="which is not on this server"):
            await visit(moved).read(path, 100)
    with pytest.raises(ToolError, match=f"redirected more than {MAX_REDIRECTS} times"):
        await visit(moved).read("/round", 100)


async def test_what_is_too_large_or_no_json_is_not_read() -> None:
    packed = (200, {"content-encoding": "gzip"}, b"no gzip")
    visitor = visit({f"{BASE}/large": b"x" * 101, f"{BASE}/text": b"[}", f"{BASE}/packed": packed})
    with pytest.raises(ToolError, match="does not answer"):
        await visitor.read("/packed", 100)
    with pytest.raises(ToolError, match="has more than 100 bytes"):
        await visitor.read("/large", 100)
    with pytest.raises(ToolError, match="answers what is not as expected"):
        await visitor.read_json("/text", list[int])
    assert await visitor.find_json("/nothing", list[int]) is None


async def test_a_name_of_dots_is_no_way_to_another_address() -> None:
    visitor = visit({f"{BASE}/presentation/3/{name}/a": b"{}" for name in (".", "..")})
    for name in (".", ".."):
        with pytest.raises(NothingThere, match="no name is"):
            await visitor.read(f"/presentation/3/{name}/a", 100)
    assert await visitor.find_json("/presentation/3/../a", dict[str, int]) is None
