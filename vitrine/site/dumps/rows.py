"""A row of a dump: what is published under one identifier, and where."""

from typing import Any

from vitrine.iiif.presentation.addresses import DOCUMENTS, NEWEST, document_path
from vitrine.store.publications import Moved, Publication, Published, Withdrawn
from vitrine.store.published_document import read_document
from vitrine.text.formulas import harmless

Row = dict[str, Any]
COLUMNS = (
    *("identifier", "state", "type", "label", "manifest", "manifest_2", "rights", "canvases"),
    *("thumbnail", "target", "reason", "updated"),
)
"""Columns of the CSV; in JSON the same names, with all languages of the label."""


def make_row(identifier: str, publication: Publication, base: str, updated: str) -> Row | None:
    """Return the row of what is published; None for what waits for its images.

    `base` is scheme and host, `updated` RFC 3339 UTC. Raises UnusablePublication.
    """
    match publication:
        case Published(kind=kind):
            document = read_document(publication)
            found = {
                "state": "published",
                "type": document.type,
                "label": document.label,
                "manifest": base + document_path(NEWEST, identifier, DOCUMENTS[kind]),
                "manifest_2": base + document_path(2, identifier, DOCUMENTS[kind]),
                "rights": document.rights,
                "canvases": len(document.items) if kind == "manifest" else 0,
                "thumbnail": next((one.id for one in document.thumbnail), ""),
            }
        case Moved(target=target):
            found = {"state": "moved", "target": target}
        case Withdrawn(reason=reason):
            found = {"state": "withdrawn", "reason": reason}
        case _:
            return None
    return {"identifier": identifier, **found, "updated": updated}


def csv_cells(row: Row) -> list[str]:
    """Return the cells of COLUMNS; of several languages, the first. No formula among them."""
    label = next((values[0] for values in row.get("label", {}).values() if values), "")
    shown = row | {"label": label}
    return [harmless(str(shown.get(name) or "")) for name in COLUMNS]
