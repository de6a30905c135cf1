"""`vitrine-capacity plan` ends with a document, a page, or the reason why not."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from capacity.cli import build_app
from capacity.plan import make_plan as plan
from capacity.plan.collection_size import size_collection
from capacity.plan.plan_limits import idle_bill
from capacity.plan.question import Question
from vitrine.costs.ingest_work import ImageWork

pytestmark = pytest.mark.slow

SMALL = ("--images", "300", "--megapixels", "3", "--visits-per-day", "20", "--workers", "1")
FAST = ("--warm-days", "0.1", "--replications", "2")
IMAGE = ImageWork(
    megapixels=20,
    master_bytes=32e6,
    access_master_bytes=6e6,
    cpu_seconds=1.0,
)


@pytest.fixture(autouse=True)
def _no_saved_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "measured_image", lambda: IMAGE)


def capacity(*arguments: str):
    return CliRunner().invoke(build_app(), arguments)


def test_a_plan_is_one_json_document_and_a_page_even_beyond_its_budget(tmp_path: Path) -> None:
    question = Question(images=300, megapixels=3, visits_per_day=20)
    idle = sum(idle_bill(question, size_collection(question, IMAGE)).values())
    page = tmp_path / "plan.html"
    files = ("--html", str(page), "--results", str(tmp_path))
    limits = ("--target-p95-ms", "2000", "--budget", f"{idle + 0.01:.2f}")
    result = capacity("plan", *SMALL, *FAST, *limits, "--json", *files)
    assert result.exit_code == 1
    assert "No design that was tried is within the budget" in result.stderr
    run = json.loads(result.stdout)
    assert run["design"]["vcpus"] == 0.5
    assert page.read_text().count("<svg") == 4
    (saved,) = tmp_path.glob("*-capacity-plan/question.json")
    assert json.loads(saved.read_text()) == run


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("plan", "--images", "0"), "nobody can look at"),
        (("plan", "--region", "mars-1"), "eu-west-1, us-east-1"),
        (("plan", "--target-p95-ms", "10"), "a target of 10 ms is impossible"),
        (("plan", "--budget", "20"), "a budget of $20.00 a month is impossible"),
        (("plan", "--profile", "none.toml"), "there is no profile to read"),
        (("plan", "--question", "none.toml"), "none.toml: cannot be read"),
    ],
)
def test_what_cannot_be_is_wrong_usage_and_says_why(
    arguments: tuple[str, ...], sentence: str
) -> None:
    result = capacity(*arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr
