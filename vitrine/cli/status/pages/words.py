"""Text from outside on a status page, and the commands to paste into a shell.

Keys, identifiers and reasons are whatever somebody called a file: all is escaped, invisible
characters are spelled out, and words of a command are quoted for the shell.
"""

import shlex

from markupsafe import Markup

from vitrine.bootstrap.environments import LOCAL
from vitrine.visible_text import escape_controls


def show_text(text: object) -> Markup:
    """Return HTML of the text: escaped, isolated in direction, invisible characters spelled out."""
    return Markup("<bdi>{}</bdi>").format(escape_controls(text))


def can_be_typed(text: str) -> bool:
    """Return True if no character would make a terminal or a line editor do something."""
    return bool(text) and text.isprintable()


def command(environment: str, verb: str, *words: str) -> str:
    """Return a line for the shell in which each of `words` stays one word and no option.

    The first of two words may be an option.
    """
    where = () if environment == LOCAL else ("--environment", environment)
    end = ("--", *words) if len(words) == 1 and words[0].startswith("-") else words
    return shlex.join(("vitrine", *verb.split(), *where, *end))
