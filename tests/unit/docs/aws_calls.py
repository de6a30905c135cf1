"""Compares command lines of AWS's with its service models, as AWS's own command line parses them.

Run by the Python of `.build/awscli`: reads a JSON list of lists of words, and prints what is wrong
with each, or nothing. No call leaves: what would be sent is compared with the model of its
operation, the values of enumerations included, and `--query` with what the operation answers.
"""

import contextlib
import io
import json
import sys
from collections.abc import Iterator
from typing import Any

import jmespath
from awscli.clidriver import create_clidriver
from botocore.validate import ParamValidator


class Held(BaseException):
    """A call that is held back, with its parameters and the model of its operation."""


def hold_back(params: Any, model: Any, **_: Any) -> None:
    """Raise Held."""
    raise Held(params, model)


def find_fault(driver: Any, words: list[str]) -> str:
    """Return what is wrong with a command line, its first word `aws`; "": nothing."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            driver.main(words[1:])
    except Held as held:
        params, model = held.args
    except SystemExit:
        return " ".join(said.getvalue().split())
    else:
        return said.getvalue().strip() or "it makes no call"
    report = ParamValidator().validate(params, model.input_shape)
    if report.has_errors():
        return str(report.generate_report())
    faults = [*_misfits(params, model.input_shape)]
    if "--query" in words:
        query = jmespath.compile(words[words.index("--query") + 1]).parsed
        try:
            _follow(query, model.output_shape)
        except KeyError as error:
            faults.append(f"{model.name} answers with no {error.args[0]}")
    return "; ".join(faults)


def _misfits(value: Any, shape: Any) -> Iterator[str]:
    """Yield each value that is not of its enumeration."""
    if shape.type_name == "structure":
        for name, member in value.items():
            yield from _misfits(member, shape.members[name])
    elif shape.type_name == "list":
        for member in value:
            yield from _misfits(member, shape.member)
    elif getattr(shape, "enum", ()) and value not in shape.enum:
        yield f"{value} is not in {', '.join(shape.enum)}"


def _follow(node: Any, shape: Any) -> Any:
    """Return the shape to which an expression of JMESPath leads; None: of no model.

    What a projection makes is a list of one shape. Raises KeyError if a field does not exist.
    """
    children = node["children"]
    match node["type"]:
        case "field":
            return None if shape is None else getattr(shape, "members", {})[node["value"]]
        case "subexpression" | "pipe":
            return _follow(children[1], _follow(children[0], shape))
        case "index_expression":
            found = _follow(children[0], shape)
            return found if children[1]["type"] == "slice" else _element(found)
        case "flatten":
            return _follow(children[0], shape)
        case "projection" | "filter_projection":
            element = _element(_follow(children[0], shape))
            shapes = [_follow(child, element) for child in children[1:]]
            return shapes[:1]  # the others are those of a filter
        case "current" | "identity":
            return shape
    for child in children:
        _follow(child, shape)
    return None


def _element(shape: Any) -> Any:
    if isinstance(shape, list):
        return shape[0]
    return getattr(shape, "member", None)


if __name__ == "__main__":
    program = create_clidriver()
    program.session.register("before-parameter-build", hold_back)
    json.dump([find_fault(program, words) for words in json.load(sys.stdin)], sys.stdout)
