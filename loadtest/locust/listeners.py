"""What happens when Locust begins and ends: the run is created, and its result printed."""

import sys
from typing import Any

from locust import events
from locust.env import Environment
from locust.runners import WorkerRunner

from loadtest.errors import InvalidScenario
from loadtest.locust import options
from loadtest.locust.last_reports import LastReports
from loadtest.locust.locust_run import RAMP, LocustRun, end_process
from loadtest.locust.result_lines import print_result
from loadtest.locust.visitor import LoadVisitor


def add_listeners() -> None:
    """Create the run when Locust is ready, and print its result at the end."""
    options.add_options_listener()
    events.init.add_listener(_prepare_run)


def _prepare_run(environment: Environment, **_: Any) -> None:
    chosen: Any = environment.parsed_options
    if not environment.host:
        end_process("name the server: --host https://images.example.org")
    try:
        scenario = options.scenario_of(chosen)
        workload = scenario.workload(options.catalogue_of(chosen, scenario))
    except (InvalidScenario, OSError, ValueError) as error:
        end_process(str(error))
    run = LocustRun(environment, scenario, workload)
    LoadVisitor.joined = run
    reports = LastReports(environment)
    events.test_start.add_listener(lambda **_: reports.begin())
    events.test_start.add_listener(lambda **_: _begin_test(run))
    events.test_stopping.add_listener(lambda **_: _collect_reports(run, reports))
    events.test_stop.add_listener(lambda **_: run.enter(RAMP))
    run.load.listen(environment)
    run.decoded.listen(environment)
    if chosen.report_json and not isinstance(run.runner, WorkerRunner):
        events.quitting.add_listener(lambda **_: print_result(run))


def _collect_reports(run: LocustRun, reports: LastReports) -> None:
    is_at_its_end, run.complete = run.complete, False
    is_counted = reports.collect()
    run.complete = is_at_its_end and is_counted
    if not is_counted:
        print("vitrine-loadtest: a worker did not report what it counted last", file=sys.stderr)


def _begin_test(run: LocustRun) -> None:
    run.numbers.begin()
    run.stages.clear()
    run.complete = False
    if not isinstance(run.runner, WorkerRunner):
        run.warm()
