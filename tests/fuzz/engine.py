"""Runs a target under atheris (libFuzzer); without it, a target is only its `check`.

https://github.com/google/atheris: code that is imported within `engine.imports()` is instrumented,
so that inputs which reach new branches are kept and varied further.
"""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from tests.fuzz.oracle import watched

STARTED = Path(sys.argv[0]).name.startswith("fuzz_")
"""Whether a target is the program, not imported by a test."""


class Engine:
    """The one of this process."""

    def imports(self) -> AbstractContextManager[None]:
        """Instrument what is imported in the block."""
        if not STARTED:
            return nullcontext()
        import atheris

        instrumented: AbstractContextManager[None] = atheris.instrument_imports(
            include=[
                *("vitrine.store", "vitrine.iiif", "vitrine.deliver"),
                *("vitrine.ingest.convert.metadata", "vitrine.ingest.inspect.formats"),
            ]
        )
        return instrumented

    def run(self, check: Callable[[bytes], None], peak_bytes: int) -> None:
        """Fuzz with libFuzzer's options from the command line; never returns."""
        import atheris

        atheris.enabled_hooks.add("str")
        atheris.Setup(sys.argv, watched(check, peak_bytes))
        atheris.Fuzz()


engine = Engine()
