"""What is deployed has a numpy whose linear algebra ends the process (docs/adr/0016)."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]
ALGEBRA = {"dot", "vdot", "inner", "matmul", "einsum", "tensordot", "convolve", "correlate"}


@pytest.mark.slow
def test_nothing_that_is_deployed_calls_linear_algebra() -> None:
    found = [
        f"{path.relative_to(REPOSITORY)}:{line}"
        for folder in ("vitrine", "lambdas")
        for path in sorted((REPOSITORY / folder).rglob("*.py"))
        for line in lines_of_algebra(ast.parse(path.read_text()))
    ]
    assert found == []


def test_it_would_be_found() -> None:
    code = "a @ b\nnp.linalg.norm(a)\na.dot(b)\nnp.cross(a, b)\n"
    assert sorted(lines_of_algebra(ast.parse(code))) == [1, 2, 3]


def lines_of_algebra(tree: ast.Module) -> Iterator[int]:
    """The lines that multiply matrices, or call what numpy gives to OpenBLAS."""
    for node in ast.walk(tree):
        match node:
            case ast.BinOp(op=ast.MatMult()) | ast.AugAssign(op=ast.MatMult()):
                yield node.lineno
            case ast.Attribute(attr="linalg"):
                yield node.lineno
            case ast.Call(func=ast.Attribute(attr=name)) if name in ALGEBRA:
                yield node.lineno
