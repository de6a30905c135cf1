"""Progress of a command: a spinner on a terminal, plain lines elsewhere."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

from vitrine.visible_text import escape_controls


class Progress:
    """Steps with their duration, on standard error, so that output can be piped."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True, highlight=False)

    def say(self, text: str) -> None:
        """Print a line that stays."""
        self.console.print(Text(escape_controls(text)), soft_wrap=True)

    @contextmanager
    def step(self, text: str) -> Iterator[None]:
        """Show `text` while the block runs, then how long it took; nothing if it fails."""
        started = time.monotonic()
        if self.console.is_terminal:
            with self.console.status(f"{text} …"):
                yield
        else:
            self.say(f"{text} …")
            yield
            text = "  done"
        self.say(f"{text}: {time.monotonic() - started:.1f} s")
