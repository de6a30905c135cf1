"""Loosen the templates in a seeded sample of places, one at a time: does a promise notice?

`make template-mutants`, or `python -m tests.mutants.template_campaign --mutants 200 --seed 1`. The
tests of `tests/infrastructure` that look at synthesized templates run on each loosened one, in one
process, until one fails. Prints every survivor, and exits with 1 if more than one in twenty lives.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from rich.console import Console
from rich.progress import track

from tests.mutants.loosenings import Loosening, loosenings

GOAL = 0.95
FIXTURES = {"templates", "dev", "prod"}
CACHED = ("resources", "statements")
"""Properties that `Templates` keeps of its stages."""


class Campaign:
    """A plugin of pytest that runs the chosen tests again and again."""

    def __init__(self, mutants: int, seed: int, report: Path | None) -> None:
        self.verdicts: list[dict[str, str]] = []
        self._count, self._random, self._report = mutants, Random(seed), report
        self._known: list[Any] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the tests that see templates and take no time of their own."""
        items[:] = [
            item
            for item in items
            if FIXTURES & set(getattr(item, "fixturenames", ()))
            and not item.get_closest_marker("slow")
        ]

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run all tests once, then on each mutant until one fails."""
        items = session.items
        self._watch_templates(items)
        failed = self._first_failure(session, items)
        if failed:
            raise pytest.UsageError(f"{failed} fails without any mutant")
        places = list(loosenings(self._known[0].stages))
        chosen = self._random.sample(places, min(self._count, len(places)))
        for mutant in track(chosen, "mutants", console=Console(stderr=True)):
            self._judge(session, items, mutant)
        session._setupstate.teardown_exact(None)
        return True

    def _watch_templates(self, items: list[pytest.Item]) -> None:
        """Learn of every `Templates` that is made, the first of them prod's."""
        info: Any = items[0]
        kind = sys.modules[info._fixtureinfo.name2fixturedefs["synthesize"][0].func.__module__]
        made, known = kind.Templates.__init__, self._known

        def init(templates: Any, environment: Any, folder: Path) -> None:
            made(templates, environment, folder)
            known.insert(0 if environment.name == "prod" else len(known), templates)

        kind.Templates.__init__ = init

    def _judge(self, session: pytest.Session, items: list[pytest.Item], mutant: Loosening) -> None:
        undo: list[Callable[[], None]] = [mutant.apply(one.stages) for one in self._known]
        self._forget()
        noticed_by = self._first_failure(session, items)
        for change in undo:
            change()
        self._forget()
        verdict = {"kind": mutant.kind, "what": mutant.describe(), "noticed_by": noticed_by}
        self.verdicts.append(verdict)
        if not noticed_by:
            print(f"{mutant.kind}: {mutant.describe()}", flush=True)
        if self._report:
            self._report.write_text(json.dumps(self.verdicts, indent=1))

    def _forget(self) -> None:
        for templates in self._known:
            for name in CACHED:
                vars(templates).pop(name, None)

    def _first_failure(self, session: pytest.Session, items: list[pytest.Item]) -> str:
        """Return the first test that fails; "" if none does."""
        session._setupstate.teardown_exact(items[0])
        for item, following in zip(items, [*items[1:], items[0]], strict=True):
            reports = runtestprotocol(item, log=False, nextitem=following)
            if any(report.failed for report in reports):
                return item.nodeid
        return ""


def main() -> int:
    """Run the campaign; return the exit code."""
    parser = argparse.ArgumentParser(prog="tests.mutants.template_campaign")
    parser.add_argument("--mutants", type=int, default=200, help="Size of the sample.")
    parser.add_argument("--seed", type=int, default=1, help="Equal seeds draw equal samples.")
    parser.add_argument("--json", type=Path, help="File for all verdicts.")
    chosen = parser.parse_args()
    campaign = Campaign(chosen.mutants, chosen.seed, chosen.json)
    with tempfile.TemporaryDirectory(prefix="template-mutants-") as folder:
        options = ["-q", "-p", "no:cacheprovider", "--no-header", f"--basetemp={folder}/pytest"]
        code = pytest.main([*options, "tests/infrastructure"], plugins=[campaign])
    if not campaign.verdicts:
        return int(code) or 2
    noticed = [one for one in campaign.verdicts if one["noticed_by"]]
    kinds = Counter(one["kind"] for one in campaign.verdicts)
    caught = Counter(one["kind"] for one in noticed)
    for kind, count in sorted(kinds.items()):
        print(f"{kind}: {caught[kind]} of {count}")
    share = len(noticed) / len(campaign.verdicts)
    print(f"{len(noticed)} of {len(campaign.verdicts)} mutants noticed, {share:.0%}")
    return 0 if share >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
