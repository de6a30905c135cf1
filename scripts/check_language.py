"""Check docstrings, comments, messages, names and pages against `scripts/language.toml`.

`python scripts/check_language.py [PATH ...]` prints one line for each finding and exits with 1 if
there are any; without paths it checks everything that git tracks.
"""

import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
RULES = tomllib.loads((REPOSITORY / "scripts/language.toml").read_text())
WORDS = {re.compile(pattern, re.IGNORECASE): advice for pattern, advice in RULES["words"].items()}
NAMES: dict[str, str] = RULES["names"]
TEST_NAMES = re.compile(rf"_({'|'.join(RULES['test_names']['words'])})(?=_|$)|_too$")
CODE_FOLDERS = (
    *("vitrine", "rigs", "loadtest", "capacity", "stacks", "lambdas", "layers", "docs", "scripts"),
)
HISTORY = ("CHANGELOG.md", "results/", "scripts/language.toml", "tests/fuzz/found/")
RETIRED = "\n## Words we retired\n"
"""The rest of a page after this heading lists words that are no longer used."""
Finding = tuple[int, str]
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
Function = ast.FunctionDef | ast.AsyncFunctionDef


def findings(path: Path) -> Iterator[Finding]:
    """Yield (line, sentence) for everything in a Python or Markdown file that breaks a rule."""
    text = path.read_text()
    if path.suffix == ".md":
        current = text.partition(RETIRED)[0]
        for number, line in enumerate(current.splitlines(), 1):
            yield from _words(line, number)
        return
    tree = ast.parse(text)
    yield from _comments(text)
    yield from _strings(tree)
    yield from _names(tree)
    if path.relative_to(REPOSITORY).parts[0] in CODE_FOLDERS:
        yield from _openings(tree)
    else:
        yield from _attribute_openings(tree.body)


def _words(text: str, line: int) -> Iterator[Finding]:
    for pattern, advice in WORDS.items():
        for match in pattern.finditer(text):
            yield line + text.count("\n", 0, match.start()), f"“{match.group()}”: write {advice}"


def _comments(text: str) -> Iterator[Finding]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield from _words(token.string, token.start[0])


def _strings(tree: ast.Module) -> Iterator[Finding]:
    """Check prose only: a string without a space is a key or a name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield from _words(node.value, node.lineno)


def _names(tree: ast.Module) -> Iterator[Finding]:
    for node in ast.walk(tree):
        if isinstance(node, Function | ast.ClassDef):
            name = node.name
        elif isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        else:
            continue
        if name.startswith("test_") and (match := TEST_NAMES.search(name)):
            yield node.lineno, f"the name `{name}` has the retired words “{match[0].strip('_')}”"
        if name in NAMES:
            yield node.lineno, f"the name `{name}`: write {NAMES[name]}"


def _openings(tree: ast.Module) -> Iterator[Finding]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            yield from _attribute_openings(node.body)
        if not isinstance(node, Documented) or not (text := ast.get_docstring(node)):
            continue
        first = _first_word(text)
        banned = set(RULES["openings"]["any"])
        if isinstance(node, Function) and not _is_property(node):
            banned |= set(RULES["openings"]["function"])
        if first in banned:
            line = getattr(node, "lineno", 1)
            yield line, f"a docstring begins with “{first}”: begin with a verb or a noun"


def _attribute_openings(body: list[ast.stmt]) -> Iterator[Finding]:
    """Check docstrings of attributes: strings right after an assignment."""
    banned = {*RULES["openings"]["any"], *RULES["openings"]["attribute"]}
    for assigned, node in pairwise(body):
        match assigned, node:
            case ast.Assign() | ast.AnnAssign(), ast.Expr(ast.Constant(str(text))):
                if (first := _first_word(text)) in banned:
                    sentence = f"the docstring of an attribute begins with “{first}”"
                    yield node.lineno, f"{sentence}: begin with the noun that it is"


def _first_word(text: str) -> str:
    return text.split(maxsplit=1)[0].rstrip(",.:;")


def _is_property(node: Function) -> bool:
    names = {ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list}
    return bool(names & {"property", "cached_property", "fixture"})


def _tracked() -> list[Path]:
    command = ["git", "ls-files", "--", "*.py", "*.md"]
    listed = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True)
    return [REPOSITORY / name for name in listed.stdout.splitlines()]


def _files(arguments: list[str]) -> Iterator[Path]:
    """Yield the files of the arguments, folders walked, less those that record history."""
    chosen = [(REPOSITORY / argument).resolve() for argument in arguments]
    for path in _tracked():
        name = path.relative_to(REPOSITORY).as_posix()
        inside = not chosen or any(path == root or root in path.parents for root in chosen)
        if inside and path.exists() and not name.startswith(HISTORY):
            yield path


def main(arguments: list[str]) -> int:
    """Print all findings, and return the exit code."""
    count = 0
    for path in _files(arguments):
        for line, sentence in sorted(findings(path)):
            count += 1
            print(f"{path.relative_to(REPOSITORY)}:{line}: {sentence}")
    if count:
        print(f"{count} findings; the rules are in scripts/language.toml", file=sys.stderr)
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
