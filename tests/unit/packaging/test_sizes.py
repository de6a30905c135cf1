"""No file over 450 lines and no function over 50."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
HOUSES = (
    *("vitrine", "rigs", "loadtest", "capacity", "stacks", "lambdas", "layers"),
    *("docs/build", "scripts"),
)
FILE_LINES, FUNCTION_LINES = 450, 50


def sources(*suffixes: str, houses: tuple[str, ...] = HOUSES) -> list[Path]:
    return [
        path
        for house in houses
        for path in sorted((REPOSITORY / house).rglob("*"))
        if path.suffix in suffixes and path.is_file()
    ]


def long_functions(tree: ast.AST) -> Iterator[str]:
    """Yield the names of functions whose statements, docstring apart, take too many lines.

    A signature is not counted: that of a command is the list of its options with their help.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            statements = node.body[ast.get_docstring(node) is not None :]
            last = node.end_lineno or 0
            if statements and last - statements[0].lineno >= FUNCTION_LINES:
                yield node.name


def test_no_file_is_longer_than_a_reader_holds_in_mind() -> None:
    counted = {
        path.relative_to(REPOSITORY).as_posix(): len(path.read_text().splitlines())
        for path in (
            *sources(".py", ".js", ".css", ".html", ""),
            *sources(".py", ".js", houses=("tests",)),  # without a suffix, it is no text there
        )
    }
    assert len(counted) > 1_300
    assert not {name for name, lines in counted.items() if lines > FILE_LINES}


@pytest.mark.slow
def test_no_function_is_longer_than_a_screen() -> None:
    found = [
        f"{path.relative_to(REPOSITORY)}: {name}"
        for path in sources(".py")
        for name in long_functions(ast.parse(path.read_text()))
    ]
    assert found == []


@pytest.mark.parametrize(("lines", "is_long"), [(50, False), (51, True)])
def test_the_signature_and_the_docstring_are_not_counted(lines: int, is_long: bool) -> None:
    body = "\n".join(["    pass"] * lines)
    source = f'def f(\n    a: int,\n) -> None:\n    """Do.\n\n    More.\n    """\n{body}\n'
    assert list(long_functions(ast.parse(source))) == ["f"] * is_long
