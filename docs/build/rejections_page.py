"""The page docs/reference/rejections.md."""

from vitrine.ingest.inspect.curator_notes import NOTES
from vitrine.ingest.rejection_advice import EXAMPLES

_HEAD = """\
# Rejections and notes

A master that breaks a rule is not converted. What is recorded of it, and shown by `vitrine status`,
is a code that never changes, a sentence for the curator, and the value that broke the rule. Codes
and sentences are those of `vitrine/ingest/rejections.py`; `make docs` generates
this page from them, with example values.

An image that was published under the same identifier before stays as it was.

| code | sentence | value, for example | what a curator can do |
|---|---|---|---|
"""
_NOTES_HEAD = """
## Notes

A note does not stop a master. It says what could not be taken over, or was assumed.

| code | sentence |
|---|---|
"""


def rejections_page() -> str:
    """Return the page as Markdown."""
    rows = []
    for error, advice in EXAMPLES:
        reason = error.rejection
        rows.append(f"| `{reason.code}` | {reason.sentence} | {reason.value} | {advice} |")
    notes = [f"| `{note.code}` | {note.sentence} |" for note in NOTES]
    return _HEAD + "\n".join(rows) + "\n" + _NOTES_HEAD + "\n".join(notes) + "\n"
