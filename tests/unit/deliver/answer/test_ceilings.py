"""What may be spent in a minute or a day has a ceiling, and requests give way before it."""

from contextlib import ExitStack, nullcontext

import pytest

from tests.rigs.clock import Clock
from vitrine.deliver.answer.budgets import Budgets
from vitrine.deliver.answer.ceilings import DAY, Ceilings
from vitrine.deliver.answer.cost import Cost, GivesWay, Lane
from vitrine.deliver.metrics.counters import Counters
from vitrine.deliver.metrics.minute import minute_fields
from vitrine.deliver.render.shared_load import SharedLoad
from vitrine.errors import Overloaded
from vitrine.settings.deliver import DeliverSettings

MEBIBYTE = 1 << 20
COLD = Cost(Lane.COLD, work=1.0, fetched_bytes=MEBIBYTE)
COLD_LARGE = Cost(Lane.LARGE, work=1.0, fetched_bytes=MEBIBYTE)
LARGE = Cost(Lane.LARGE, work=1.0)
LISTED = Cost(Lane.COLD, work=1.0, fetched_bytes=100 * MEBIBYTE, is_listed=True)


def settings(**changes: int) -> DeliverSettings:
    return DeliverSettings(
        access_masters_bucket="a", site_bucket="s", identifiers_table="t", **changes
    )


class Task:
    """A task of several processes, whose ceilings share memory."""

    def __init__(self, processes: int = 1, **changes: int) -> None:
        self.clock, self.counters = Clock(10 * DAY + 15.0), Counters()
        self._load, self._settings = SharedLoad(processes), settings(**changes)
        self.processes = [self.start(number) for number in range(1, processes + 1)]

    def start(self, number: int) -> Ceilings:
        return Ceilings(self._settings, self._load.load(number), self.counters, self.clock)

    def given_way(self, process: int = 0) -> list[GivesWay]:
        costs = (COLD, COLD_LARGE, LARGE, LISTED)
        ceilings = self.processes[process]
        return [cost.gives_way for cost in costs if ceilings.reached(cost, open_bytes=0)]


def test_bytes_of_s3_give_way_in_the_order_of_pressure_and_listed_sizes_never() -> None:
    task = Task(store_mebibytes_a_minute=100)
    (ceilings,) = task.processes
    found = []
    for _ in range(110):
        ceilings.note_read(MEBIBYTE)
        if (given := task.given_way()) not in found:
            found.append(given)
    assert found == [[], [GivesWay.FIRST], [GivesWay.FIRST, GivesWay.SECOND]]


def test_what_needs_no_byte_of_s3_does_not_give_way_for_it() -> None:
    task = Task(store_mebibytes_a_minute=1, store_requests_a_minute=1)
    task.processes[0].note_read(50 * MEBIBYTE)
    assert GivesWay.THIRD not in task.given_way()


def test_the_next_minute_is_a_new_one_and_the_refusal_says_when_it_begins() -> None:
    task = Task(store_requests_a_minute=10)
    (ceilings,) = task.processes
    for _ in range(10):
        ceilings.note_read(1)
    reached = ceilings.reached(COLD, open_bytes=0)
    assert reached
    assert (reached.name, reached.retry_seconds) == ("store-requests", 45.0)
    task.clock.now += reached.retry_seconds
    assert task.given_way() == []


def test_renders_of_a_day_give_way_to_the_end_of_the_day() -> None:
    task = Task(renders_a_day=100)
    (ceilings,) = task.processes
    for _ in range(100):
        ceilings.note_render()
    assert task.given_way() == [GivesWay.FIRST, GivesWay.SECOND, GivesWay.THIRD]
    task.clock.now += DAY - 16
    assert task.given_way() != []
    task.clock.now += 1
    assert task.given_way() == []


def test_what_is_admitted_and_not_read_yet_counts() -> None:
    (ceilings,) = Task(store_mebibytes_a_minute=100).processes
    assert ceilings.reached(COLD_LARGE, open_bytes=73 * MEBIBYTE) is None
    assert ceilings.reached(COLD_LARGE, open_bytes=75 * MEBIBYTE)


def test_all_processes_of_a_task_have_one_ceiling_and_a_new_one_knows_what_was_spent() -> None:
    task = Task(processes=3, renders_a_day=30)
    for ceilings in task.processes:
        for _ in range(10):
            ceilings.note_render()
    assert [len(task.given_way(number)) for number in range(3)] == [3, 3, 3]
    task.processes[1] = task.start(2)
    assert [len(task.given_way(number)) for number in range(3)] == [3, 3, 3]


def test_without_a_ceiling_nothing_gives_way() -> None:
    task = Task()
    task.processes[0].note_read(1 << 50)
    task.processes[0].note_render()
    assert task.given_way() == []


@pytest.mark.parametrize("refuses", [True, False])
def test_a_ceiling_refuses_or_only_counts_as_pressure_does_and_is_in_the_line_of_the_minute(
    refuses: bool,
) -> None:
    task = Task(renders_a_day=2)
    budgets = Budgets(cores=2, refuses=refuses, counters=task.counters, ceilings=task.processes[0])
    for number in range(4):
        expected = number >= 2 and refuses
        refusal = pytest.raises(Overloaded, match="paid for") if expected else nullcontext()
        with refusal, budgets.admission(str(number), LARGE):
            pass
    samples = task.counters.samples()
    result = "refused" if refuses else "counted"
    key = f'vitrine_gave_way_total{{turn="third",result="{result}",why="renders"}}'
    assert samples[key] == 2
    fields = minute_fields(samples, environment="test", process=1, milliseconds=0)
    # Twice for the requests, and when only counting once more as the ceiling was passed.
    assert fields["CeilingsReached"] == (2 if refuses else 3)


def test_requests_that_have_not_read_yet_are_admitted_up_to_the_ceiling_and_no_further() -> None:
    task = Task(store_mebibytes_a_minute=100)
    budgets = Budgets(cores=2, refuses=True, counters=task.counters, ceilings=task.processes[0])
    ten = Cost(Lane.LARGE, work=1.0, fetched_bytes=10 * MEBIBYTE)
    with ExitStack() as stack:
        for number in range(7):
            stack.enter_context(budgets.admission(str(number), ten))
        stack.enter_context(budgets.admission("6", ten))  # the same as one that is under way
        with pytest.raises(Overloaded) as refusal, budgets.admission("more", ten):
            pass
    assert refusal.value.retry_seconds == 45
    with budgets.admission("again", ten):
        pass
