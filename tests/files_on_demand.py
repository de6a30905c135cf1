"""xdist's workers import a file of tests when they are given it, and no other.

By itself each worker imports all files before the first test runs, eleven CPU seconds for each, of
which a worker then runs a part. What stands for a file until then is one item, by which xdist's
scheduler counts.
"""

import os
from itertools import pairwise
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

NAME = "files_on_demand"
SHARING = {
    "containers": ("tests/integration/containers/",),
    "the service": (
        "tests/integration/loadtest/test_service.py",
        "tests/integration/local/test_api_on_one_machine.py",
        "tests/integration/local/test_desk_on_one_machine.py",
        "tests/integration/local/test_links_on_one_machine.py",
        "tests/integration/local/test_collection_in_a_bucket.py",
        "tests/integration/local/test_access_of_a_table.py",
        "tests/integration/local/test_collection_on_one_machine.py",
        "tests/integration/local/test_objects_on_one_machine.py",
        "tests/integration/local/test_full_text_search_on_one_machine.py",
        "tests/integration/local/test_content_search_on_one_machine.py",
        "tests/integration/local/test_mcp_on_one_machine.py",
    ),
    "a service that browsers visit": ("tests/e2e/",),
    # As much again, in a service of its own unless the same worker has one.
    "a service": (
        "tests/integration/local/test_dumps_by_the_environment.py",
        "tests/integration/local/test_visits_by_the_environment.py",
        "tests/integration/local/test_giants_on_one_machine.py",
        "tests/integration/local/test_invalidation_on_one_machine.py",
        "tests/integration/local/test_ocr_on_one_machine.py",
        "tests/integration/local/test_schedule_on_one_machine.py",
        "tests/integration/local/test_serverless_on_one_machine.py",
        "tests/integration/local/test_updates_by_the_environment.py",
        "tests/integration/migrate/test_killed_map_driver.py",
        "tests/integration/migrate/test_migrate_on_one_machine.py",
    ),
    "a service to break": ("tests/integration/local/test_runbooks_of_",),
    "emulators": ("tests/integration/local/test_emulator_",),
    # To load the CDK and to synthesize for the first time costs a process some four CPU seconds.
    "half of the templates": tuple(f"tests/infrastructure/test_{letter}" for letter in "abcde"),
    "other templates": (
        "tests/infrastructure/",
        "tests/integration/local/test_first_deployment.py",
        "tests/unit/docs/test_generated_pages.py",
        "tests/unit/edge/invalidation/test_invalidate_quotas.py",
        "tests/unit/edge/test_viewer_request.py",
    ),
}
"""Beginnings of the names of tests by what they share, which is expensive to start."""
FIRST_FILES = (
    "tests/integration/loadtest/test_ingest_drill.py",
    *SHARING["containers"],
    *SHARING["the service"],
    "tests/e2e/",
    *SHARING["a service"],
    "tests/integration/local/test_one_machine.py",
    "tests/integration/local/test_runbooks_of_",
    "tests/integration/loadtest/test_disaster_drill.py",
    "tests/integration/loadtest/test_restarts.py",
    "tests/integration/local/test_withdrawal_on_one_machine.py",
    "tests/integration/local/test_export_on_one_machine.py",
    "tests/integration/local/test_tutorial.py",
    "tests/infrastructure/",
)
"""Files that begin first, so that no worker is left alone with one at the end."""


class ByShared(LoadFileScheduling):
    """Files go to xdist's workers one by one, but all that share something to one of them."""

    def _split_scope(self, nodeid: str) -> str:
        shared = (name for name, begins in SHARING.items() if nodeid.startswith(begins))
        return next(shared, super()._split_scope(nodeid))

    def _reschedule(self, node: WorkerController) -> None:
        # One file that runs and one that is next: any more would wait for a worker that is busy.
        if self.workqueue and self._pending_of(self.assigned_work[node]) > 1:
            return
        super()._reschedule(node)


class OneFile(pytest.Item):
    """A file of tests that is not imported yet."""

    def runtest(self) -> None:
        """Fail: `FilesOnDemand` runs the tests of the file in its place."""
        raise NotImplementedError

    def tests(self) -> list[pytest.Item]:
        """Import it; return its tests, less those that `-k` or `-m` leaves out."""
        module = pytest.Module.from_parent(self.parent, path=self.path)
        found = list(self.session.genitems(module))
        self.ihook.pytest_collection_modifyitems(
            session=self.session, config=self.config, items=found
        )
        return found


def _rank(file: OneFile) -> int:
    """Return the place of a file in the order of the run."""
    places = (place for place, begins in enumerate(FIRST_FILES) if file.nodeid.startswith(begins))
    return next(places, len(FIRST_FILES))


class FilesOnDemand:
    """The plugin of a worker."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makemodule(self, module_path: Path, parent: pytest.Collector) -> OneFile:
        # A folder that is passed on the way to a test file may have others.
        name = os.path.relpath(module_path, parent.config.rootpath)
        return OneFile.from_parent(parent, name=name, nodeid=name, path=module_path)

    @pytest.hookimpl(wrapper=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        files = [item for item in items if isinstance(item, OneFile)]
        yield
        if files:  # whether their tests are asked for is not known yet
            items[:] = sorted(files, key=_rank)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> bool | None:
        if not isinstance(item, OneFile):
            return None
        session = item.session
        place = session.items.index(item)
        for test, following in pairwise([*item.tests(), nextitem]):
            if session.shouldfail or session.shouldstop:
                break
            session.items[place] = test  # a report must be of the item that xdist asked for
            test.ihook.pytest_runtest_protocol(item=test, nextitem=following)
        session.items[place] = item
        session._setupstate.teardown_exact(nextitem)  # what a file without tests would leave
        return True


def prepare_worker(node: WorkerController) -> None:
    """Tell a worker to be, to which `--dist` is not passed on, whether it collects on demand."""
    by_file = node.config.getoption("dist") == "loadfile"
    node.workerinput[NAME] = by_file and not any("::" in name for name in node.config.args)


def configure(config: pytest.Config) -> None:
    """Collect on demand if this is a worker that is to."""
    if getattr(config, "workerinput", {}).get(NAME):
        config.pluginmanager.register(FilesOnDemand(), NAME)


def make_scheduler(config: pytest.Config, log: Producer | None) -> ByShared | None:
    """Return the scheduler of `--dist loadfile`."""
    return ByShared(config, log) if config.getoption("dist") == "loadfile" else None
