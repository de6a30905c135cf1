"""Nonsense is refused with what is wrong, and what would be right."""

import math
from pathlib import Path

import pytest

from capacity.plan.question import Question, read_question
from loadtest.errors import InvalidScenario


@pytest.mark.parametrize(
    ("nonsense", "sentence"),
    [
        ({"images": 0}, "nobody can look at"),
        ({"images": 10**22}, "nobody has more"),
        ({"megapixels": -1.0}, "no image"),
        ({"visits_per_day": -5.0}, "above 0"),
        ({"visits_per_day": 3.0}, "too few"),
        ({"visits_per_day": math.nan}, "no such number"),
        ({"visits_per_day": 1e9}, "ask about a tenth"),
        ({"peak_factor": 30.0}, "impossible"),
        ({"target_p95_ms": 0.0}, "above 0"),
        ({"budget": -1.0}, "above 0"),
        ({"fewest_tasks": 0}, "at least one task"),
        ({"fewest_tasks": 10**8}, "cannot be simulated"),
        ({"new_percent": 200.0}, "0 to 100"),
    ],
)
def test_nonsense_is_refused(nonsense: dict[str, float], sentence: str) -> None:
    with pytest.raises(InvalidScenario, match=sentence):
        Question(**nonsense)


def test_a_file_is_read_and_options_go_first(tmp_path: Path) -> None:
    file = tmp_path / "ours.toml"
    file.write_text('images = 5_000\nregion = "us-east-1"\nmegapixels = 12\n')
    question = read_question(file, images=6_000)
    assert (question.images, question.region, question.megapixels) == (6_000, "us-east-1", 12)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("image = 5", "did you mean images"),
        ("images = 'many'", "images must be a whole number"),
        ("images = true", "images must be a whole number"),
        ("images = ", "is no TOML"),
        ("images = -5", "ours.toml: images = -5"),
    ],
)
def test_a_bad_file_is_named_with_what_is_wrong(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "ours.toml"
    file.write_text(text)
    with pytest.raises(InvalidScenario, match=sentence):
        read_question(file)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidScenario, match="cannot be read: No such file"):
        read_question(tmp_path / "none.toml")
