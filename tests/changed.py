"""Print the quick tests that a change concerns: `python -m tests.changed [SINCE]`.

Which modules a test imports, directly or not, is read from the sources (grimp), with the conftests
of its folder. A file that is no module counts as every module that names it, and as those next to
it. The change is what Git finds in the work tree since the commit SINCE: by default the one that
the branch shares with `origin/main`, or HEAD. Slow tests are left to `make test`,
and those of `tests/nightly.py` to the night.
"""

import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import grimp

from tests.nightly import is_nightly

ROOT = Path(__file__).parents[1]
PACKAGES = (
    *("vitrine", "rigs", "loadtest", "capacity", "stacks", "layers", "lambdas", "docs", "tests"),
)
QUICK = ("tests/unit/", "tests/infrastructure/", "tests/contract/")
OF_EVERYTHING = ("tests/conftest.py", "pyproject.toml", "requirements/")
"""Files that concern every test."""
ALWAYS = ("tests/unit/docs/", "tests/unit/packaging/", "tests/unit/scripts/", "tests/unit/lambdas/")
"""Tests that read any file of the project as text, or import what they name in a string."""


def changed_files(since: str) -> list[str]:
    """Return the names of files that differ from a commit, new ones included."""
    commands = (
        ["git", "diff", "--name-only", since],
        ["git", "ls-files", "--others", "--exclude-standard"],
    )
    run = (
        subprocess.run(c, cwd=ROOT, check=True, capture_output=True, text=True) for c in commands
    )
    return sorted({name for done in run for name in done.stdout.splitlines()})


def default_base() -> str:
    """Return the commit that the branch shares with `origin/main`; HEAD where there is no such."""
    command = ["git", "merge-base", "HEAD", "origin/main"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return found.stdout.strip() or "HEAD"


class Imports:
    """Which modules import which, in all packages and tests."""

    def __init__(self) -> None:
        self._graph = grimp.build_graph(*PACKAGES)
        files = {_file_of(name): name for name in self._graph.modules}
        self._files = {file: name for file, name in files.items() if (ROOT / file).exists()}
        self.tests = sorted(name for name in self._files if _is_quick_test(name))
        for test in self.tests:
            for conftest in _conftests(test):
                if conftest in self._files:
                    self._graph.add_import(
                        importer=self._files[test], imported=self._files[conftest]
                    )

    def tests_of(self, file: str) -> set[str]:
        """Return the files of tests that a changed file concerns."""
        modules = [self._files[file]] if file in self._files else list(self._readers(Path(file)))
        if file.startswith(OF_EVERYTHING) or not (modules or file.endswith(".md")):
            return set(self.tests)
        concerned = {name for one in modules for name in self._graph.find_downstream_modules(one)}
        return {test for test in self.tests if self._files[test] in {*concerned, *modules}}

    def _readers(self, file: Path) -> Iterator[str]:
        """Yield the modules that name a file and its folder, and those next to it."""
        for other, module in self._files.items():
            text = (ROOT / other).read_text()
            if Path(other).parent == file.parent or (
                file.name in text and file.parent.name in text
            ):
                yield module


def choose(files: Iterable[str]) -> list[str]:
    """Return the files of tests that changed files concern, in order of their names."""
    imports = Imports()
    chosen = {test for test in imports.tests if test.startswith(ALWAYS)}
    for file in files:
        chosen |= imports.tests_of(file)
    return sorted(test for test in chosen if not is_nightly(test))


def _file_of(module: str) -> str:
    path = Path(*module.split("."))
    return str(path / "__init__.py" if (ROOT / path).is_dir() else path.with_suffix(".py"))


def _is_quick_test(file: str) -> bool:
    return file.startswith(QUICK) and Path(file).name.startswith("test_")


def _conftests(test: str) -> Iterator[str]:
    """Yield the conftests of a test's folders, but for the uppermost: it serves slow tests."""
    for folder in Path(test).parents:
        if folder != Path("tests"):
            yield str(folder / "conftest.py")
        else:
            return


def main() -> None:
    """Print the chosen files of tests, a line each."""
    files = changed_files(sys.argv[1] if len(sys.argv) > 1 else default_base())
    if not files:
        sys.exit("Nothing has changed.")
    print("\n".join(choose(files)))


if __name__ == "__main__":
    main()
