"""Words of a status page that come from outside, and lines to type about them.

Keys, identifiers and reasons are whatever somebody called a file: all is escaped, what cannot be
seen is spelled out, and what stands in a command is quoted for the shell that it is pasted into.
"""

import re
import shlex
from functools import cache
from html import escape

from vitrine.bootstrap.environments import LOCAL
from vitrine.ingest.rejection_advice import EXAMPLES

JOINERS = "\u200c\u200d"
"""They cannot be seen, but several scripts and emoji are spelled with them."""


def told(text: object) -> str:
    """Escaped for HTML, kept apart from the direction of what is around, all of it to be seen."""
    shown = "".join(
        sign if sign.isprintable() or sign in JOINERS else ascii(sign)[1:-1] for sign in str(text)
    )
    return f"<bdi>{escape(shown)}</bdi>"


def can_be_typed(text: str) -> bool:
    """Not what a terminal or a line editor would heed instead of keeping it."""
    return bool(text) and text.isprintable()


def command(environment: str, verb: str, *words: str) -> str:
    """A line for the shell: whatever is in them, each of `words` stays one word and no option.

    The first of two words may be an option.
    """
    where = () if environment == LOCAL else ("--environment", environment)
    end = ("--", *words) if len(words) == 1 and words[0].startswith("-") else words
    return shlex.join(("vitrine", *verb.split(), *where, *end))


def advice_about(code: str) -> str:
    """What a curator can do about a rejection: as docs/reference/rejections.md has it, or ""."""
    return _advice().get(code, "")


@cache
def _advice() -> dict[str, str]:
    found: dict[str, dict[str, None]] = {}
    for error, advice in EXAMPLES:
        found.setdefault(error.rejection.code, {})[_without_marks(advice)] = None
    return {code: " ".join(advice) for code, advice in found.items()}


def _without_marks(markdown: str) -> str:
    return re.sub(r"\[[^]]*\]\(([^)]*)\)", r"docs/reference/\1", markdown).replace("`", "")
