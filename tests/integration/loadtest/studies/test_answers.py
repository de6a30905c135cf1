"""The study of answers against real servers."""

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from loadtest.cli import build_app

SERVERS = ("ours", "static", "iipsrv", "iipsrv-cached", "iipsrv-memcached", "iipsrv-nginx")
AGAIN = ("ours", "iipsrv-memcached", "iipsrv-nginx")
REQUESTS = ("tile", "!400", "region 300 to ^600", "info.json")


def study(results: Path, *words: str) -> Result:
    command = ["--allow-dirty", "study", "answers", "--results", str(results), *words]
    return CliRunner().invoke(build_app(), command)


def test_answers_are_compared_by_cpu_fidelity_and_bytes_first_and_again(tmp_path: Path) -> None:
    chosen = [word for name in REQUESTS for word in ("--request", name)]
    words = ["--photograph", "kleiber-20", "--rounds", "2", "--seconds", "0.2", "--json"]
    result = study(tmp_path, "--servers", ",".join(SERVERS), *chosen, *words)
    assert result.exit_code == 0, result.output
    [folder] = tmp_path.iterdir()
    assert {path.name for path in folder.iterdir()} == {
        "index.html", "rounds.csv", "run.json", "table.txt",
    }  # fmt: skip
    figures: dict[str, Any] = json.loads((folder / "run.json").read_text())["figures"]
    rows = {(row["request"], row["server"]): row for row in figures["medians"]}
    assert set(figures["servers"]) == {*SERVERS, *(f"{name}, again" for name in AGAIN)}
    assert len(rows) == len(REQUESTS) * len(figures["servers"])
    for request in REQUESTS:
        ours, plain = rows[request, "ours"], rows[request, "iipsrv"]
        assert set(ours["cpu_ms_by_process"]) == {"iipsrv", "gateway", "nginx"}
        assert (ours["psnr_db"] is None) == (request == "info.json")
        if request.startswith(("!", "region")):
            assert ours["psnr_db"] > plain["psnr_db"]
    # The second answer costs no render.
    for server in AGAIN:
        first, again = (rows["!400", f"{server}{end}"] for end in ("", ", again"))
        assert again["cpu_ms"] < first["cpu_ms"] / 3, server
    assert "SHA-256" in figures["photographs"]["kleiber-20"]


def test_a_photograph_that_is_not_known_is_named(tmp_path: Path) -> None:
    result = study(tmp_path, "--photograph", "unknown-10")
    assert result.exit_code == 2
    assert "unknown-10" in result.output
