"""What an institution asks: collection, visitors, what they shall feel, what it may cost."""

import math
import tomllib
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from capacity.model.design import Traffic
from loadtest.errors import InvalidScenario
from vitrine.costs.prices import regions

MIN_VISITS_PER_DAY = 20
"""Per day."""
MAX_VISITS = 500_000
"""In the busiest hour: with more, a plan would take hours."""
MAX_FEWEST_TASKS = 1_000


@dataclass(frozen=True, kw_only=True)
class Question:
    """One institution. Raises InvalidScenario for what makes no sense."""

    images: int = 100_000
    """In the collection."""
    megapixels: float = 25.0
    """Median of the images."""
    visits_per_day: float = 2_000.0
    """A visit is what one person does in one go, some 110 requests."""
    peak_factor: float = 3.0
    """Visits in the busiest hour over those in a mean one."""
    popularity: float = 0.8
    """Exponent of Zipf's law, by which images are picked."""
    region: str = "eu-west-1"
    target_p95_ms: float = 500.0
    """Milliseconds within which 95 of 100 requests are answered, at the viewer, in the busiest
    hour."""
    budget: float = math.inf
    """USD per month, without tax; inf: whatever it takes."""
    fewest_tasks: int = 2
    """Tasks that always run: with two, one in each zone, the loss of a zone is no outage."""
    free_tier: bool = True
    """CloudFront's free tier is left for this service; False: others in the account use it up."""
    new_percent: float = 1.0
    """Share of the collection that is ingested each month: new images, and new versions."""

    def __post_init__(self) -> None:
        self.traffic()
        if self.region not in regions():
            raise InvalidScenario(
                f"the prices of region {self.region!r} are not known: there are those of "
                f"{', '.join(regions())}"
            )
        if self.visits_per_day < MIN_VISITS_PER_DAY:
            raise InvalidScenario(
                f"{self.visits_per_day:g} visits a day are too few to say anything of a busiest "
                f"hour: the smallest service carries them; ask about {MIN_VISITS_PER_DAY} or more"
            )
        busiest = self.visits_per_day * self.peak_factor / 24
        if busiest > MAX_VISITS:
            raise InvalidScenario(
                f"{busiest:.3g} visits in the busiest hour are more than can be simulated, which "
                f"are {MAX_VISITS:,}: ask about a tenth of them; tasks and bill grow in proportion"
            )
        if not 0 < self.target_p95_ms < math.inf:
            raise InvalidScenario(f"a target of {self.target_p95_ms:g} ms must be above 0")
        if not self.budget > 0:
            raise InvalidScenario(f"a budget of {self.budget:g} USD must be above 0")
        if self.fewest_tasks < 1:
            raise InvalidScenario(
                f"fewest_tasks = {self.fewest_tasks}: at least one task must run, since a service "
                "of none has no CPU that it could be scaled by"
            )
        if self.fewest_tasks > MAX_FEWEST_TASKS:
            raise InvalidScenario(
                f"fewest_tasks = {self.fewest_tasks:.3g}: more than {MAX_FEWEST_TASKS:,} that "
                "always run cannot be simulated"
            )
        if not 0 <= self.new_percent <= 100:
            raise InvalidScenario(f"new_percent = {self.new_percent:g} must be from 0 to 100")

    def traffic(self, **changes: Any) -> Traffic:
        """Return the traffic for the simulator, with `changes`."""
        return replace(
            Traffic(
                images=self.images,
                megapixels=self.megapixels,
                visits_per_day=self.visits_per_day,
                popularity=self.popularity,
                peak_factor=self.peak_factor,
            ),
            **changes,
        )


def read_question(path: Path, **overrides: Any) -> Question:
    """Read a question from a TOML file with the fields of `Question` as keys; `overrides` win.

    Raises InvalidScenario, naming the file, for a key or a value that cannot be.
    """
    known = {item.name: item.type for item in fields(Question)}
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidScenario(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidScenario(f"{path}: is no TOML: {error}") from None
    for name, value in document.items():
        if name not in known:
            close = get_close_matches(name, known, 1)
            meant = f" (did you mean {close[0]}?)" if close else ""
            raise InvalidScenario(f"{path}: there is no {name!r}{meant}: {', '.join(known)}")
        _require_type(path, name, value, known[name])
    try:
        return Question(**document | overrides)
    except InvalidScenario as error:
        raise InvalidScenario(f"{path}: {error}") from None


def _require_type(path: Path, name: str, value: Any, kind: Any) -> None:
    """Raises InvalidScenario; a whole number is a number too."""
    good = isinstance(value, (int, float) if kind is float else kind)
    if not good or (isinstance(value, bool) and kind is not bool):
        words = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}
        raise InvalidScenario(f"{path}: {name} must be {words[kind]}, not {value!r}")
