"""`vitrine collection redirects`: old addresses are tried, and what answers them is written."""

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run

RULES = """
[redirects]
"https://old.example/loris/{image*}/{request}" = "/iiif/2/{image}/{request}"
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "collection.toml"
    path.write_text(RULES)
    return path


def test_addresses_are_tried(run_program: Run, rules: Path, tmp_path: Path) -> None:
    addresses = tmp_path / "addresses.txt"
    addresses.write_text("https://old.example/loris/a/b.jp2/info.json\nhttps://old.example/x\n\n")
    result = run_program("collection", "redirects", str(rules), str(addresses))
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "1 of 2 addresses lead to a path of this service",
        "  https://old.example/loris/a/b.jp2/info.json -> /iiif/2/a%2Fb.jp2/info.json",
        "1 lead nowhere: write a rule for them",
        "  https://old.example/x",
    ]


def test_what_answers_at_the_old_host_is_written(
    run_program: Run, rules: Path, tmp_path: Path
) -> None:
    arguments = ("--into", str(tmp_path / "out"), "--base", "https://new.example/")
    result = run_program("collection", "redirects", str(rules), *arguments)
    assert result.exit_code == 0, result.stderr
    assert len(result.stdout.splitlines()) == 3
    assert "server_name old.example;" in (tmp_path / "out/nginx.conf").read_text()
    assert '"https://new.example"' in (tmp_path / "out/cloudfront-function.js").read_text()


@pytest.mark.parametrize(
    ("text", "arguments", "sentence"),
    [
        (RULES, ("--into", "out"), "Say by --base where this service is"),
        ("[collection]", (), "has no section [redirects]"),
        (RULES.replace("{image*}", "{x}"), (), "leads to {image}, which it does not have"),
    ],
)
def test_what_cannot_be_used_is_said(
    run_program: Run, rules: Path, text: str, arguments: tuple[str, ...], sentence: str
) -> None:
    rules.write_text(text)
    result = run_program("collection", "redirects", str(rules), *arguments)
    assert (result.exit_code, sentence in result.stderr) == (2, True), result.stderr
