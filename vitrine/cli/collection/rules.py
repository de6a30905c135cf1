"""`vitrine collection export-rules` and `import-rules`: the rules in a spreadsheet."""

from pathlib import Path
from typing import Annotated

import typer

from vitrine.cli.collection.file import Rules, usable
from vitrine.cli.console.printing import print_lines
from vitrine.cli.console.program import stop
from vitrine.sources.mapping.mapping_reader import read_mapping
from vitrine.sources.mapping.rules_table import read_table, write_table


def export_rules(
    rules: Rules,
    table: Annotated[Path, typer.Argument(help="The table to write, as CSV.", metavar="TABLE")],
) -> None:
    """Write the rules of FILE to a table (CSV), for people who would rather edit a spreadsheet.

    Exit code 0: written. 2: FILE is not usable, or TABLE exists.
    """
    if table.exists():
        stop(f"{table} exists already: name another file, or move it away.")
    with usable():
        read_mapping(rules)
        table.write_text(write_table(rules), encoding="utf-8-sig", newline="")
    print_lines([f"{table}: edit it, then vitrine collection import-rules"])


def import_rules(
    table: Annotated[
        Path,
        typer.Argument(help="The table of the rules, CSV or Excel.", metavar="TABLE", exists=True),
    ],
    rules: Annotated[
        Path, typer.Argument(help="The file of rules to write.", metavar="FILE", dir_okay=False)
    ],
) -> None:
    """Write the rules in a table to FILE; the rules that it had are kept as FILE.before.

    Comments in FILE are lost. A table that makes no usable rules changes nothing.

    Exit code 0: written. 2: TABLE is not usable.
    """
    beside = rules.with_name(f"{rules.name}.new")
    with usable():
        try:
            beside.write_text(read_table(table), encoding="utf-8")
            read_mapping(beside)
            if rules.exists():
                rules.replace(rules.with_name(f"{rules.name}.before"))
            beside.replace(rules)
        finally:
            beside.unlink(missing_ok=True)
    print_lines([f"{rules}: see what it makes with vitrine collection check"])
