"""The pages about moving are followed: their rules, on addresses of the servers that they name."""

import re
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run

HOWTO = Path(__file__).parents[3] / "docs/howto"
RULES = re.compile(r"```toml\n(\[redirects\].*?)```", re.DOTALL)
SHOWN = re.compile(r"```text\n(\d+ of \d+ addresses.*?)```", re.DOTALL)
MOVES = {
    "move-from-loris.md": [
        ("https://libimages.example.edu", "/loris/pudl0001%2F4612422%2F00000001.jp2/info.json"),
        (
            "https://libimages.example.edu",
            "/loris2/bluemountain/astore%2F0005.jp2/full/full/0/native",
        ),
    ],
    "move-from-cantaloupe.md": [
        ("https://iiif.example.org", "/iiif/2/16394975/full/!300,300/0/default.jpg"),
        (
            "https://iiif.example.org",
            "/iiif/3/52824154-c4ff/full/!640,916/0/default.jpg?cache=false",
        ),
        ("https://iiif.example.org", "/iiif/1/subfolder%2Fjpg/full/full/0/color.jpg"),
    ],
    "move-from-a-level-0-site.md": [
        ("https://www.example.org", "/tiles/starfish2/512,0,263,512/132,256/0/default.jpg"),
        ("https://www.example.org", "/tiles/v3/q/768,512,7,256/7,256/0/default.jpg"),
        ("https://www.example.org", "/iiif/ms1/manifest.json"),
    ],
}


def write(folder: Path, page: str, addresses: list[str]) -> tuple[str, str]:
    rules, old = folder / "collection.toml", folder / "addresses.txt"
    (text,) = RULES.findall((HOWTO / page).read_text(encoding="utf-8"))
    rules.write_text(text)
    old.write_text("\n".join(addresses))
    return str(rules), str(old)


@pytest.mark.parametrize("page", MOVES)
def test_the_rules_of_a_page_lead_its_addresses_to_this_service(
    run_program: Run, tmp_path: Path, page: str
) -> None:
    addresses = [host + path for host, path in MOVES[page]]
    result = run_program("collection", "redirects", *write(tmp_path, page, addresses))
    assert result.exit_code == 0, result.stdout


def test_what_the_page_about_loris_shows_is_what_the_command_prints(
    run_program: Run, tmp_path: Path
) -> None:
    page = "move-from-loris.md"
    (shown,) = SHOWN.findall((HOWTO / page).read_text(encoding="utf-8"))
    addresses = re.findall(r"^  (\S+) ->", shown, re.MULTILINE)
    result = run_program("collection", "redirects", *write(tmp_path, page, addresses))
    assert result.stdout == shown


def test_what_else_the_page_about_level_0_says_is_a_rule(run_program: Run, tmp_path: Path) -> None:
    text = (HOWTO / "move-from-a-level-0-site.md").read_text(encoding="utf-8")
    (rule,) = re.findall(r'`("https://www\.example\.org/zoom[^`]*)`', text)
    (tmp_path / "collection.toml").write_text(f"[redirects]\n{rule}\n")
    (tmp_path / "old.txt").write_text("https://www.example.org/zoom/ms1.dzi")
    arguments = (str(tmp_path / "collection.toml"), str(tmp_path / "old.txt"))
    result = run_program("collection", "redirects", *arguments)
    assert result.stdout.splitlines()[1].endswith("-> /iiif/3/ms1/info.json")
