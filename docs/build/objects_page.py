"""The page docs/reference/objects.md, from the source of the model."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from docs.build.markdown import paragraph, table
from vitrine.iiif.presentation import model

_HEAD = """\
# Records of objects and collections

What `vitrine object put` takes and `vitrine object show` prints: JSON, with an `object` or a
`collection` at the top and the other parts inside them. Names are those of the
[Presentation API 3.0](https://iiif.io/api/presentation/3.0/#3-resource-properties), where each is
explained, with `_` for capitals. [How to describe objects](../howto/describe-objects.md) shows the
commands.

A *text* is an object with a list of texts for each language, `{"en": ["A letter"], "nl": ["Een
brief"]}`; the language of what has none is `none`, the others are those of BCP 47. A summary, an
alternative text and the value of a pair may have HTML, of which only links, images, paragraphs,
line breaks and bold, italic, small, raised and lowered words are kept; elsewhere its tags are taken
out. A text in angle brackets that names no element, such as `<Nachlass Weber>`, stays as it is: it
gets a space behind it, which tells viewers that it is no HTML. An *address* begins with http or
https.

`make docs` generates this page from `vitrine/iiif/presentation/model.py`.
"""
_TITLES = {
    "PublishedObject": 'Object: `"type": "object"`',
    "ObjectCollection": 'Collection: `"type": "collection"`',
    "Description": "What objects and collections have in common",
    "DescriptiveProperties": "What objects, collections, canvases and ranges have in common",
}
_ORDER = (
    *("PublishedObject", "ObjectCollection", "Description", "DescriptiveProperties"),
    *("Canvas", "Place", "ImageElsewhere", "Range", "CanvasPart", "Member", "Statement"),
    *("Link", "Agent"),
)
_WORDS = (
    (r"tuple\[(.+), \.\.\.\]", r"list of \1"),
    (r"(.+) \| None", r"\1"),
    (r"^str$|(?<=of )str$", "string"),
    (r"^int$|(?<=of )int$", "number"),
    (r"^bool$", "true or false"),
    (r"Texts", "text"),
)


def objects_page() -> str:
    """Return the page as Markdown."""
    assert model.__file__
    tree = ast.parse(Path(model.__file__).read_text(encoding="utf-8"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    chosen = dict(_literals(tree))
    return _HEAD + "".join(_section(classes[name], chosen) for name in _ORDER)


def _section(node: ast.ClassDef, chosen: dict[str, str]) -> str:
    rows = [
        (f"`{name}`", _type(item.annotation, chosen), "" if item.value else "yes", meaning)
        for name, item, meaning in _fields(node)
    ]
    title = _TITLES.get(node.name, node.name)
    description = paragraph(" ".join((ast.get_docstring(node) or "").split()))
    if node.name == "Range":
        rows = [(name, kind.replace("'", ""), must, meaning) for name, kind, must, meaning in rows]
    header = ("field", "type", "required", "meaning")
    return f"\n## {title}\n\n{description}\n\n{table(header, rows, words=4)}"


def _fields(node: ast.ClassDef) -> Iterator[tuple[str, ast.AnnAssign, str]]:
    """Yield name, declaration and meaning: the string under it, if there is one."""
    for item, below in zip(node.body, [*node.body[1:], None], strict=True):
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            meaning = ""
            if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
                meaning = " ".join(str(below.value.value).split())
            yield item.target.id, item, meaning


def _literals(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names of closed lists of words, and the words."""
    for item in tree.body:
        if isinstance(item, ast.Assign) and "Literal" in ast.unparse(item.value):
            name = ast.unparse(item.targets[0])
            words = re.findall(r"'([^']+)'", ast.unparse(item.value))
            yield name, ", ".join(f"`{word}`" for word in words)


def _type(annotation: ast.expr, chosen: dict[str, str]) -> str:
    text = ast.unparse(annotation)
    for pattern, word in _WORDS:
        text = re.sub(pattern, word, text)
    for name, words in chosen.items():
        text = re.sub(rf"list of {name}", f"list of {words}", text)
        text = re.sub(rf"^{name}$", f"one of {words}", text)
    return text
