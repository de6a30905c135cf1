"""The look of a status page, how it is refreshed, and what a browser may do with it."""

from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from vitrine.cli.pages.kit import KIT, stylesheet

HERE = Path(__file__).parent
STYLE = stylesheet(KIT / "plots.css", HERE / "status.css")
SCRIPT = (HERE / "status.js").read_text(encoding="utf-8")
"""A hidden page does not ask, so a page that nobody looks at costs nothing."""


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


POLICY = (
    f"default-src 'none'; img-src data:; style-src {_hash(STYLE)}; script-src {_hash(SCRIPT)}; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'"
)
"""Content-Security-Policy: nothing is loaded, and no script but ours runs."""
