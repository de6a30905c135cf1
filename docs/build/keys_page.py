"""The page docs/reference/keys.md.

Each case is tried through the whole pipeline in tests/integration/ingest/test_odd_keys.py.
"""

import unicodedata
from dataclasses import dataclass
from typing import Literal

Content = Literal["TIFF", "JPEG", "PNG", "text", "nothing"]

LONG_NAME = "x" * 251 + ".tif"
MAX_KEY_LENGTH = "d" * (1024 - len(LONG_NAME) - 1) + "/" + LONG_NAME
"""1,024 bytes, S3's limit."""
_DECOMPOSED = unicodedata.normalize("NFD", "Ångström.tif")
_SHOWN = 24


@dataclass(frozen=True, kw_only=True)
class KeyCase:
    """A key that somebody may upload under, and what comes of it.

    `identifier` is the image's where it is published, `code` the rejection's where it is not;
    with neither, nothing happens at all.
    """

    key: str
    content: Content = "TIFF"
    content_type: str = "image/tiff"
    given: str = ""
    """Identifier in the object's metadata."""
    identifier: str = ""
    code: str = ""
    why: str
    after: bool = False
    """It is uploaded when the others have ended."""


CASES: tuple[KeyCase, ...] = (
    KeyCase(key="two words.tif", identifier="two words", why="The stem of the file's name."),
    KeyCase(
        key="2026/prints/RP-P-1.tif", identifier="RP-P-1", why="Folders are no part of the name."
    ),
    KeyCase(
        key="loans/RP-P-1.tif",
        code="identifier-taken",
        after=True,
        why="Another master has this identifier: the first one keeps it.",
    ),
    KeyCase(key="//twice//slashed.tif", identifier="slashed", why="Empty folders are folders."),
    KeyCase(key="night.watch.tif", identifier="night.watch", why="Only the last extension goes."),
    KeyCase(key="scan.tif.jpg", content="JPEG", identifier="scan.tif", why="The same."),
    KeyCase(key="no-extension", identifier="no-extension", why="None is needed."),
    KeyCase(key=".hidden", identifier=".hidden", why="A name that begins with its only dot."),
    KeyCase(key="Café Æsop 夜警 🖼.tif", identifier="Café Æsop 夜警 🖼", why="Any script, any sign."),
    KeyCase(
        key=_DECOMPOSED,
        identifier="Ångström",
        why="Identifiers are Unicode NFC; this key is NFD, as macOS writes it.",
    ),
    KeyCase(
        key="Ångström.tif",
        code="identifier-taken",
        after=True,
        why="The same name in NFC is another key, and wants the same identifier.",
    ),
    KeyCase(key="100% wool.tif", identifier="100% wool", why="As it is."),
    KeyCase(key="a%20b%2Fc.tif", identifier="a%20b%2Fc", why="Keys are never percent-decoded."),
    KeyCase(key="a+b.tif", identifier="a+b", why="A plus sign is no blank."),
    KeyCase(key="which? #5 & “so”=1.tif", identifier="which? #5 & “so”=1", why="As it is."),
    KeyCase(key="O'Keeffe <b>&amp;.tif", identifier="O'Keeffe <b>&amp;", why="As it is."),
    KeyCase(key="urn:x:5.tif", identifier="urn:x:5", why="As it is."),
    KeyCase(key="back\\slash.tif", identifier="back\\slash", why="A backslash is no slash."),
    KeyCase(
        key="any name.tif",
        given="object/2026/5",
        identifier="object/2026/5",
        why="Metadata `identifier` goes first; its slashes are written %2F in addresses.",
    ),
    KeyCase(
        key=MAX_KEY_LENGTH,
        identifier="x" * 251,
        why="A key of 1,024 bytes, S3's limit, with a name of 251.",
    ),
    KeyCase(
        key="y" * 1020 + ".tif",
        code="identifier-invalid",
        why="A key of 1,024 bytes, all of it name: an identifier has 255 bytes at most.",
    ),
    KeyCase(key=" blank.tif", code="identifier-invalid", why="A blank at its beginning."),
    KeyCase(key="blank .tif", code="identifier-invalid", why="A blank at its end."),
    KeyCase(key="two\nlines.tif", code="identifier-invalid", why="A control character."),
    KeyCase(key="..tif", code="identifier-invalid", why="A name of one dot."),
    KeyCase(key="2.tif", code="identifier-invalid", why="A reserved word."),
    KeyCase(key="info.json.tif", code="identifier-invalid", why="A reserved word."),
    KeyCase(key="empty.tif", content="nothing", code="empty-file", why="No bytes."),
    KeyCase(key="folder/", content="nothing", why="A folder, as consoles make them: nothing."),
    KeyCase(key="pages/", code="identifier-missing", why="A folder with bytes has no file's name."),
    KeyCase(
        key="more pages/", given="pages", identifier="pages", why="An image that was given a name."
    ),
    KeyCase(
        key="declared.tif",
        content_type="text/html",
        identifier="declared",
        why="The content type is not looked at.",
    ),
    KeyCase(key="jpeg.tif", content="JPEG", identifier="jpeg", why="Nor is the extension."),
    KeyCase(
        key="png.jpg",
        content="PNG",
        content_type="image/jpeg",
        identifier="png",
        why="What the first bytes say counts.",
    ),
    KeyCase(key="letter.tif", content="text", code="not-an-image", why="The same."),
)

_HEAD = """\
# Keys of masters, and what comes of them

A master's identifier is the object's metadata `identifier`, or else the name behind the last slash
of its key without its last extension (`identifier_pattern` in [settings](settings.md) may say
otherwise); in Unicode NFC, 1 to 255 bytes. What the file is, its first bytes say. Each row is
uploaded to the running service by `tests/integration/ingest/test_odd_keys.py`; `make docs`
generates this page.

Codes are explained in [rejections](rejections.md). The limit of 1,024 bytes and the bytes a key may
hold are S3's ("Naming Amazon S3 objects"). Keys with a segment `.` or `..` are left out: SDKs and
browsers shorten them before they send them, so S3 advises against them.

| key | content | becomes | because |
|---|---|---|---|
"""


def keys_page() -> str:
    """Return the page as Markdown."""
    return _HEAD + "".join(f"{_row(case)}\n" for case in CASES)


def _row(case: KeyCase) -> str:
    content = "nothing" if case.content == "nothing" else f"a {case.content}"
    if case.content == "text":
        content = "text"
    if case.content_type != "image/tiff":
        content += f" as `{case.content_type}`"
    key = _code(case.key) + (f", metadata `{case.given}`" if case.given else "")
    outcome = "nothing happens"
    if case.code:
        outcome = f"rejected: `{case.code}`"
    elif case.identifier:
        outcome = f"published as {_code(case.identifier)}"
    return f"| {key} | {content} | {outcome} | {case.why} |"


def _code(text: str) -> str:
    """Return the text as code: invisible characters as escapes, cut if too long."""
    shown = text.replace("\\", "\\\\").replace("\n", "\\n")
    if text != unicodedata.normalize("NFC", text):
        shown = shown.encode("ascii", "backslashreplace").decode()
    if len(shown) > 2 * _SHOWN:
        shown = f"{shown[:_SHOWN]}…{shown[-_SHOWN:]}"
    return f"`{shown}`"
