"""The commands of the three programs, read from the programs themselves."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import typer

import capacity.cli
import loadtest.cli
import vitrine.cli

PROGRAMS = {
    "vitrine": vitrine.cli.build_app,
    "vitrine-loadtest": loadtest.cli.build_app,
    "vitrine-capacity": capacity.cli.build_app,
}


@dataclass(frozen=True, kw_only=True)
class Command:
    """A program, a group or a command that does something."""

    words: tuple[str, ...]
    help: str
    arguments: tuple[str, ...]
    options: frozenset[str]
    """All spellings of its options, as `--json` or `-e`."""
    names: frozenset[str]
    """The commands of a group."""


def read_commands() -> dict[tuple[str, ...], Command]:
    """Return every program, group and command by its words, in the order of the help."""
    commands = {}
    for program, build_app in PROGRAMS.items():
        for command in _walk(typer.main.get_command(build_app()), (program,)):
            commands[command.words] = command
    return commands


def _walk(node: Any, words: tuple[str, ...]) -> Iterator[Command]:
    children: dict[str, Any] = getattr(node, "commands", {})
    options = [option for item in node.params for option in (*item.opts, *item.secondary_opts)]
    yield Command(
        words=words,
        help=node.help or "",
        arguments=tuple(
            _synopsis(item) for item in node.params if item.param_type_name == "argument"
        ),
        options=frozenset(option for option in options if option.startswith("-")) | {"--help"},
        names=frozenset(children),
    )
    for name, child in children.items():
        yield from _walk(child, (*words, name))


def _synopsis(argument: Any) -> str:
    name = (argument.metavar or argument.name.upper()).strip("[].")
    name += "…" if argument.nargs == -1 else ""
    return name if argument.required else f"[{name}]"
