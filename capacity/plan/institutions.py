"""Three typical institutions, planned, next to what stacks/environments.py deploys as `prod`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from capacity.model.cost_profile import Profile
from capacity.plan.bill import bill, together
from capacity.plan.busy_stretch import WARM_VISITS, Stretch, simulate_all
from capacity.plan.collection_size import size_collection
from capacity.plan.design_variants import PROD
from capacity.plan.make_plan import figures_of, plan
from capacity.plan.monthly_usage import mean_usage, usage_of
from capacity.plan.plan_report import design_words, plan_parts
from capacity.plan.question import Question, read_question
from loadtest.report.document import Heading, Part, Table
from vitrine.costs.ingest_work import ImageWork, measured_image

FOLDER = Path(__file__).with_name("questions")


def institutions() -> dict[str, Question]:
    """Return their questions by name, the smallest first."""
    questions = {path.stem: read_question(path) for path in FOLDER.glob("*.toml")}
    return dict(sorted(questions.items(), key=lambda entry: entry[1].visits_per_day))


def plan_institutions(
    questions: Mapping[str, Question],
    profile: Profile,
    replications: int,
    seed: int,
    workers: int | None = None,
    warm_visits: int = WARM_VISITS,
    image: ImageWork | None = None,
) -> dict[str, Any]:
    """Return a document for JSON. Raise PlanImpossible."""
    image = image or measured_image()
    return {
        "institutions": {
            name: {
                "plan": plan(question, profile, replications, seed, workers, warm_visits, image),
                "prod": _prod(question, profile, replications, seed, workers, warm_visits, image),
            }
            for name, question in questions.items()
        }
    }


def _prod(
    question: Question,
    profile: Profile,
    replications: int,
    seed: int,
    workers: int | None,
    warm_visits: int,
    image: ImageWork,
) -> dict[str, Any]:
    """Simulate `prod` under the visits that the chosen design meets in its replications."""
    seeds = range(seed + 1, seed + 1 + replications)
    jobs = Stretch.of(question, warm_visits).jobs(PROD, seeds)
    outcomes = simulate_all(jobs, profile, "prod as it is deployed", workers)
    usage = mean_usage([usage_of(outcome, PROD, question) for outcome in outcomes])
    lines = bill(PROD, usage, size_collection(question, image), question.region)
    return {
        "design": asdict(PROD),
        "figures": figures_of(outcomes),
        "usd": together(lines),
    }


def institutions_parts(run: Mapping[str, Any]) -> Sequence[Part]:
    """Return the report: all next to each other, then each by itself."""
    rows = []
    for name, one in run["institutions"].items():
        chosen, prod = one["plan"], one["prod"]
        rows.append(
            (
                name,
                design_words(chosen["design"]),
                _ms(chosen["figures"]),
                _ms(prod["figures"]),
                f"{chosen['month']['usd']:,.0f}",
                f"{prod['usd']:,.0f}",
            )
        )
    header = ("institution", "recommended", "p95 ms", "p95 ms of prod", "USD", "USD of prod")
    parts: list[Part] = [Table("Recommended, and prod as deployed", header, rows, words=2)]
    for name, one in run["institutions"].items():
        parts += [Heading(name), *plan_parts(one["plan"], name)]
    return parts


def _ms(figures: Mapping[str, Mapping[str, float]]) -> str:
    p95 = figures["p95 ms"]
    return f"{p95['mean']:,.0f} ± {p95['half_width']:,.0f}"
