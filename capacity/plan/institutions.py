"""Three typical institutions, planned, next to what stacks/designs.py deploys as `prod`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from capacity.model.cost_profile import CostProfile
from capacity.plan.busy_stretch import WARM_DAYS
from capacity.plan.make_plan import make_plan
from capacity.plan.plan_report import design_words, plan_parts
from capacity.plan.question import Question, read_question
from loadtest.report.document import Heading, Part, Table
from vitrine.costs.ingest_work import ImageWork

FOLDER = Path(__file__).with_name("questions")


def list_institutions() -> dict[str, Question]:
    """Return their questions by name, the smallest first."""
    questions = {path.stem: read_question(path) for path in FOLDER.glob("*.toml")}
    return dict(sorted(questions.items(), key=lambda entry: entry[1].visits_per_day))


def plan_institutions(
    questions: Mapping[str, Question],
    profile: CostProfile,
    replications: int,
    seed: int,
    workers: int | None = None,
    warm_days: float = WARM_DAYS,
    image: ImageWork | None = None,
) -> dict[str, Any]:
    """Return a document for JSON. Raise PlanImpossible."""
    return {
        "institutions": {
            name: make_plan(question, profile, replications, seed, workers, warm_days, image)
            for name, question in questions.items()
        }
    }


def institutions_parts(run: Mapping[str, Any]) -> Sequence[Part]:
    """Return the report: all next to each other, then each by itself."""
    rows = []
    for name, one in run["institutions"].items():
        chosen, prod = one, one["prod"]
        rows.append(
            (
                name,
                design_words(chosen["design"]),
                _format_milliseconds(chosen["figures"]),
                _format_milliseconds(prod["figures"]),
                f"{chosen['month']['usd']:,.0f}",
                f"{prod['usd']:,.0f}",
            )
        )
    header = ("institution", "recommended", "p95 ms", "p95 ms of prod", "USD", "USD of prod")
    parts: list[Part] = [Table("Recommended, and prod as deployed", header, rows, words=2)]
    for name, one in run["institutions"].items():
        parts += [Heading(name), *plan_parts(one, name)]
    return parts


def _format_milliseconds(figures: Mapping[str, Mapping[str, float]]) -> str:
    p95 = figures["p95 ms"]
    return f"{p95['mean']:,.0f} ± {p95['half_width']:,.0f}"
