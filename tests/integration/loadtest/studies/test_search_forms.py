"""Both forms of index find the same, and what each of them takes is measured."""

import json
from pathlib import Path

from typer.testing import CliRunner

from loadtest.cli import build_app


def test_both_forms_of_index_find_the_same_and_are_measured(tmp_path: Path) -> None:
    command = ["--allow-dirty", "study", "search-forms", "--objects", "400"]
    result = CliRunner().invoke(build_app(), [*command, "--results", str(tmp_path)])
    assert result.exit_code == 0, result.output
    [folder] = tmp_path.iterdir()
    figures = json.loads((folder / "run.json").read_text())["figures"]
    # So few objects have few chunks of words, so that no beginning has more than a query may read.
    assert figures["equal_answers"] == figures["queries"] == 100
    found = {row["of"]: (row["files"], row["segment"]) for row in figures["rows"]}
    assert min(min(values) for values in found.values()) >= 0
    # The directory, the words' chunk and a file of cards; the list, a head, words and cards.
    assert min(found["first query of a visit: requests for its index"]) >= 3
    # A chunk of words and a file of cards at least; one small segment.
    files, segment = found["… bytes written"]
    assert files > segment > 100
    # One request of the edge for each pause.
    files, segment = found["a query as it is typed: requests of the edge"]
    assert files > segment > 2
