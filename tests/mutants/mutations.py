"""Mutations: one small change of a function that some test should notice."""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Add,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
Function = ast.FunctionDef | ast.AsyncFunctionDef
UNTOUCHED = ast.Raise | ast.JoinedStr | ast.Assert | Function | ast.Lambda
"""Texts of errors, and functions inside of functions, which are samples of their own."""


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A file with one function changed."""

    path: Path
    function: str
    line: int
    code: str
    """The line as it stands, without its indentation."""
    before: str
    after: str
    source: str
    """The whole file, changed."""


def functions(path: Path) -> list[str]:
    """Return the names of all functions of a file that can be mutated, as `Class.method`."""
    return [name for name, node in _functions(ast.parse(path.read_text())) if _changes(node)]


def mutate(path: Path, function: str, random: Random) -> Mutant:
    """Change one thing in a function, chosen by `random`."""
    return _mutant(path, function, random.choice(range(_count_changes(path, function))))


def mutate_everywhere(path: Path, function: str) -> list[Mutant]:
    """Change each thing in a function, one in each mutant."""
    return [_mutant(path, function, place) for place in range(_count_changes(path, function))]


def _count_changes(path: Path, function: str) -> int:
    return len(_changes(_find(ast.parse(path.read_text()), function)))


def _mutant(path: Path, function: str, place: int) -> Mutant:
    text = path.read_text()
    tree = ast.parse(text)
    change = _changes(_find(tree, function))[place]
    line, before = change.lineno, ast.unparse(change)
    _apply(change)
    return Mutant(
        path=path,
        function=function,
        line=line,
        code=text.splitlines()[line - 1].strip(),
        before=before,
        after=ast.unparse(change),
        source=ast.unparse(ast.fix_missing_locations(tree)),
    )


def _find(tree: ast.AST, function: str) -> Function:
    return next(node for name, node in _functions(tree) if name == function)


def _functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield f"{prefix}{node.name}", node
        inner = f"{prefix}{node.name}." if isinstance(node, ast.ClassDef | Function) else prefix
        yield from _functions(node, inner)


def _changes(function: Function) -> list[ast.expr]:
    """Return the expressions of a body that can be changed, without annotations and texts."""
    found: list[ast.expr] = []
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, UNTOUCHED):
            continue
        if isinstance(node, ast.expr) and _is_mutable(node):
            found.append(node)
        children = ast.iter_child_nodes(node)
        if isinstance(node, ast.AnnAssign):
            children = iter([node.value] if node.value else [])
        waiting.extend(children)
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


def _is_mutable(node: ast.expr) -> bool:
    match node:
        case ast.Compare(ops=[operator]):
            return type(operator) in COMPARISONS
        case ast.BinOp(op=operator):
            return type(operator) in OPERATORS
        case ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Constant(value=bool() | int()):
            return True
    return False


def _apply(node: ast.expr) -> None:
    match node:
        case ast.Compare():
            node.ops = [COMPARISONS[type(node.ops[0])]()]
        case ast.BinOp():
            node.op = OPERATORS[type(node.op)]()
        case ast.BoolOp():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        case ast.UnaryOp():
            operand = copy.deepcopy(node.operand)
            node.op, node.operand = ast.Not(), ast.UnaryOp(op=ast.Not(), operand=operand)
        case ast.Constant(value=bool()):
            node.value = not node.value
        case ast.Constant(value=int() as value):
            node.value = value + 1
