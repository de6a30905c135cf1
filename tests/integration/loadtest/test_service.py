"""The running service answers a scenario without a failure; its log becomes a list that it answers
again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Service

ROOT = Path(__file__).resolve().parents[3]
LIST = '[model]\nkind = "url-list"\nfile = "seen.txt"\n'


def test_our_service_answers_sessions_and_what_was_recorded_of_them(
    service: Service, tmp_path: Path
) -> None:
    log = Path(service.environment["VITRINE_LOCAL_DIRECTORY"], "logs/nginx.log")
    before = log.stat().st_size  # other tests' addresses, some of them of images that are gone
    sessions = ROOT / "scenarios/viewer-session.toml"
    done = service.run(
        "run", sessions, "--users", "3", "--seconds", "2", "--json", program="vitrine-loadtest"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert {row["kind"] for row in json.loads(done.stdout)["rows"]} <= {"info", "tile"}
    ours = tmp_path / "ours.log"
    ours.write_bytes(log.read_bytes()[before:])
    seen = tmp_path / "seen.txt"
    done = service.run("record", ours, "-o", seen, "--deduplicate", program="vitrine-loadtest")
    assert done.returncode == 0, done.stderr
    (tmp_path / "list.toml").write_text(LIST)
    done = service.run("run", tmp_path / "list.toml", "--json", program="vitrine-loadtest")
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["requests"] == len(seen.read_text().split()) > 5
