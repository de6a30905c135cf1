"""The page of `vitrine collection preview`: objects as they would look, and what is amiss."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import Markup

from vitrine.cli.pages.kit import KIT, render, stylesheet
from vitrine.iiif.presentation.model import PublishedObject, Texts
from vitrine.sources.mapping.preview import BASE, PreviewedObject
from vitrine.text.text_or_html import is_html


def preview_page(title: str, objects: Sequence[PreviewedObject]) -> str:
    """Return the HTML; its pictures lie next to it."""
    return render(
        KIT / "preview.html",
        title=title,
        style=stylesheet(KIT / "preview.css"),
        about="A preview: nothing of this was published. Addresses in the manifests begin with "
        f"{BASE} until it is.",
        objects=list(map(_values, objects)),
    )


def _values(one: PreviewedObject) -> dict[str, Any]:
    item = one.mapped.item
    return {
        "item": item,
        "row": one.mapped.row,
        "label": first_text(item.label),
        "pairs": list(_pairs(item)),
        "summary": _paragraphs(item.summary),
        "views": [
            {
                "picture": view.picture,
                "fault": view.fault,
                "image": view.canvas.image,
                "label": first_text(view.canvas.label),
                "spoken": first_text(view.canvas.alt_text),
            }
            for view in one.views
        ],
        "notes": one.notes,
        "manifest": json.dumps(one.manifest, indent=2, ensure_ascii=False),
    }


def _pairs(item: PublishedObject) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    required = [item.required_statement] if item.required_statement else []
    for pair in (*item.metadata, *required):
        yield first_text(pair.label), _paragraphs(pair.value)


def _paragraphs(texts: Texts) -> list[tuple[str, str]]:
    """Return language and text of each, and what is allowed of HTML as such."""
    return [
        (language, Markup(text) if is_html(text) else text)
        for language, several in texts.items()
        for text in several
    ]


def first_text(texts: Texts) -> str:
    """Return the first text of any language; empty without one."""
    return next((several[0] for several in texts.values() if several), "")
