from collections import Counter
from statistics import fmean, stdev

import pytest

from capacity.engine.streams import (
    Streams,
    draw_exponential,
    draw_normal,
    draw_uniform,
    make_chooser,
)

DRAWN = [0.6881244510893788, 0.057480085835011886, 2.306503697287319, 1.5012131170239393]


def test_a_stream_depends_on_seed_and_name_alone() -> None:
    one, other = Streams(1), Streams(1)
    other.stream("b").random()
    assert one.stream("a").random() == other.stream("a").random()
    assert one.stream("a").random() != one.stream("b").random()
    assert one.stream("a").random() != Streams(2).stream("a").random()


def test_draws_are_these_on_every_python() -> None:
    draws = Streams(1).stream("a")
    found = [
        draws.random(),
        draw_exponential(draws, 1),
        draw_normal(draws, 0, 1),
        draw_uniform(draws, 1, 2),
    ]
    assert found == pytest.approx(DRAWN, rel=1e-15)


def test_distributions_have_their_moments() -> None:
    draws = Streams(1).stream("moments")
    exponentials = [draw_exponential(draws, 3) for _ in range(40_000)]
    normals = [draw_normal(draws, 5, 2) for _ in range(40_000)]
    assert fmean(exponentials) == pytest.approx(3, rel=0.03)
    assert stdev(exponentials) == pytest.approx(3, rel=0.03)
    assert fmean(normals) == pytest.approx(5, rel=0.03)
    assert stdev(normals) == pytest.approx(2, rel=0.03)


def test_choices_come_in_proportion_and_never_at_weight_zero() -> None:
    choose, draws = make_chooser("abc", (3, 0, 1)), Streams(1).stream("choices")
    drawn = Counter(choose(draws) for _ in range(20_000))
    assert drawn["b"] == 0
    assert drawn["a"] / drawn["c"] == pytest.approx(3, rel=0.1)
