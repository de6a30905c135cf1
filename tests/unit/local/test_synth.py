"""Synthesis runs when its inputs changed, and only then."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.local.synth import SynthFailed, synthesize

pytestmark = pytest.mark.slow

APP = """
import json, os, pathlib
out = pathlib.Path(os.environ["CDK_OUTDIR"])
out.mkdir(parents=True, exist_ok=True)
(out / "manifest.json").write_text(os.environ["CDK_CONTEXT_JSON"])
with open("runs", "a") as runs:
    runs.write("x")
"""


def repository(folder: Path) -> Path:
    (folder / "app.py").write_text(APP)
    (folder / "cdk.json").write_text('{"context": {"flag": true}}')
    (folder / "stacks").mkdir()
    (folder / "stacks" / "store.py").write_text("one")
    return folder


def test_environment_and_flags_reach_the_app(tmp_path: Path) -> None:
    folder = synthesize("staging", repository(tmp_path))
    assert folder == tmp_path / "cdk.out" / "staging"
    assert '"environment": "staging"' in (folder / "manifest.json").read_text()
    assert '"flag": true' in (folder / "manifest.json").read_text()


def test_one_machine_leaves_what_an_operator_says_about_aws_out(tmp_path: Path) -> None:
    repository(tmp_path)
    manifest = synthesize("dev", tmp_path) / "manifest.json"
    assert '"as-it-comes": "true"' in manifest.read_text()
    synthesize("dev", tmp_path, own=True)
    assert '"as-it-comes": "false"' in manifest.read_text()


def test_nothing_runs_again_until_an_input_changes(tmp_path: Path) -> None:
    repository(tmp_path)
    for _ in range(2):
        synthesize("dev", tmp_path)
    assert (tmp_path / "runs").read_text() == "x"
    (tmp_path / "stacks" / "store.py").write_text("two")
    synthesize("dev", tmp_path)
    assert (tmp_path / "runs").read_text() == "xx"


def test_what_no_assembly_names_any_more_is_removed_after_a_day(tmp_path: Path) -> None:
    used, unused, fresh = ("asset." + 64 * digit for digit in "abc")
    folder = synthesize("dev", repository(tmp_path))
    (folder / "vitrine-dev-store.assets.json").write_text(f'{{"path": "{used}"}}')
    for name in (used, unused, fresh):
        (folder / name).mkdir()
        (folder / f"{name.removeprefix('asset.')}.zip").write_text("")
    names = ("vitrine-dev-former.template.json", "tree.json")
    for name in names:
        (folder / name).write_text("{}")
    for name in (used, unused, f"{64 * 'b'}.zip", f"{64 * 'a'}.zip", *names):
        os.utime(folder / name, (0, 0))
    (tmp_path / "stacks" / "store.py").write_text("two")
    synthesize("dev", tmp_path)
    assert {path.name for path in folder.iterdir()} == {
        *(used, f"{64 * 'a'}.zip", fresh, f"{64 * 'c'}.zip"),
        *("manifest.json", "tree.json", "vitrine-dev-store.assets.json"),
    }


def test_a_failing_app_is_reported_and_tried_again(tmp_path: Path) -> None:
    repository(tmp_path)
    (tmp_path / "app.py").write_text("raise SystemExit('there is no environment')")
    for _ in range(2):
        with pytest.raises(SynthFailed, match="there is no environment"):
            synthesize("dev", tmp_path)


def test_a_failure_is_reported_without_the_banner_on_the_age_of_node(tmp_path: Path) -> None:
    banner = "\n".join(repr(line.encode()) for line in ("!" * 90 + "\n", "!!  Node 20  !!\n"))
    repository(tmp_path)
    (tmp_path / "app.py").write_text(f"print({banner!r})\nraise SystemExit('no such thing')")
    with pytest.raises(SynthFailed) as failure:
        synthesize("dev", tmp_path)
    assert str(failure.value) == "no such thing"


def test_an_unknown_environment_is_one_line_that_lists_the_known() -> None:
    command = [sys.executable, "-m", "vitrine.local.synth", "nowhere"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "environments.toml has no environment 'nowhere', only dev, staging, prod."
    ]
    assert not (REPOSITORY / "cdk.out" / "nowhere").exists()
