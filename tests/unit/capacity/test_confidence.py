import pytest

from capacity.confidence import confidence_interval, student_t


@pytest.mark.parametrize(
    ("confidence", "degrees", "published"),
    [
        (0.90, 1, 6.314),
        (0.90, 2, 2.920),
        (0.90, 9, 1.833),
        (0.90, 99, 1.660),
        (0.95, 1, 12.706),
        (0.95, 4, 2.776),
        (0.95, 30, 2.042),
        (0.99, 5, 4.032),
        (0.99, 10, 3.169),
        (0.999, 1, 636.619),
        (0.999, 19, 3.883),
        (0.999, 120, 3.373),
    ],
)
def test_quantiles_are_those_of_published_tables(
    confidence: float, degrees: int, published: float
) -> None:
    assert student_t(confidence, degrees) == pytest.approx(published, abs=0.0006)


def test_an_interval_is_mean_and_t_times_the_standard_error() -> None:
    found = confidence_interval([1.0, 2.0, 3.0, 4.0], 0.9)
    assert found.mean == 2.5
    assert found.half_width == pytest.approx(2.3534 * (5 / 3) ** 0.5 / 2, rel=1e-4)
    assert found.low in found
    assert found.high + 0.001 not in found


def test_one_sample_says_nothing_of_its_spread() -> None:
    with pytest.raises(ValueError, match="at least two"):
        confidence_interval([1.0])
