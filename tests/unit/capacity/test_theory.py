import pytest

from capacity.validation.theory.queue_formulas import (
    mm1_response,
    mmc_response,
    repairman_throughput,
)
from capacity.validation.theory.theory_checks import CHECKS, Check, simulate

pytestmark = pytest.mark.slow

REPLICATIONS = 8
CUSTOMERS = 2_500


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_simulated_queues_agree_with_theory(check: Check) -> None:
    found = simulate(check, 1, REPLICATIONS, CUSTOMERS)
    assert check.exact in found
    # An interval that holds everything would prove nothing.
    assert found.half_width < 0.35 * check.exact


def test_many_servers_of_one_are_one() -> None:
    assert mmc_response(0.7, 1, 1) == pytest.approx(mm1_response(0.7, 1))


def test_erlang_c_gives_its_textbook_value() -> None:
    # Two servers, offered load 1: a third of all customers wait, so R = 1 + (1/3) / (2 - 1).
    assert mmc_response(1, 1, 2) == pytest.approx(4 / 3)


def test_a_lone_machine_waits_for_nobody() -> None:
    assert repairman_throughput(1, 1, 8, 2) == pytest.approx(1 / 10)
    assert repairman_throughput(5, 5, 8, 2) == pytest.approx(5 / 10)
