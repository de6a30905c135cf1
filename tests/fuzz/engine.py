"""Runs a target under atheris (libFuzzer); without it, a target is only its `check`.

https://github.com/google/atheris: code that is imported within `engine.imports()` is instrumented,
so that inputs which reach new branches are kept and varied further.
"""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from pathlib import Path

from tests.fuzz.oracle import watched

STARTED = Path(sys.argv[0]).name.startswith("fuzz_")
"""A target is the program, not imported by a test."""
INSTRUMENTED = (
    "vitrine.store",
    "vitrine.iiif",
    "vitrine.deliver",
    "vitrine.ingest.convert.metadata",
    "vitrine.ingest.inspect.formats",
)
"""Packages whose branches guide the fuzzer."""


class Engine:
    """The fuzzer of this process."""

    def imports(self) -> AbstractContextManager[None]:
        """Instrument what is imported in the block.

        Raises ModuleNotFoundError for a package that does not exist: atheris would say nothing,
        and fuzz blindly.
        """
        for name in INSTRUMENTED:
            if find_spec(name) is None:
                raise ModuleNotFoundError(f"there is no package {name} to instrument")
        if not STARTED:
            return nullcontext()
        import atheris

        instrumented: AbstractContextManager[None] = atheris.instrument_imports(
            include=list(INSTRUMENTED)
        )
        return instrumented

    def run(self, check: Callable[[bytes], None], peak_bytes: int) -> None:
        """Fuzz with libFuzzer's options from the command line; never returns."""
        import atheris

        atheris.enabled_hooks.add("str")
        atheris.Setup(sys.argv, watched(check, peak_bytes))
        atheris.Fuzz()


engine = Engine()
