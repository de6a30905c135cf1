"""The number of users, stage after stage; or, for a list, until every user is done."""

from locust import LoadTestShape

from loadtest.locust.locust_run import RAMP, LocustRun
from loadtest.locust.result_lines import print_progress
from loadtest.locust.visitor import LoadVisitor

USERS_A_SECOND = 200


class Stages(LoadTestShape):
    """A stage's time begins once all its users run; earlier requests are counted apart."""

    def __init__(self) -> None:
        super().__init__()
        self._place = -1

    def reset_time(self) -> None:
        """Begin a new run."""
        super().reset_time()
        self._place = -1

    def tick(self) -> tuple[int, float] | None:
        """Return the number of users, and how many to add per second; None at the end.

        Locust calls it once a second, but not while users are being added."""
        run = LoadVisitor.joined
        if run.workload.ends:
            return self._until_done(run)
        if self._place < 0:
            return self._next_stage(run)
        if run.stage == RAMP:
            run.enter(f"{run.scenario.users[self._place]} users")
        elif run.elapsed >= run.scenario.seconds:
            return self._next_stage(run)
        print_progress(run)
        return self._user_count(run)

    def _next_stage(self, run: LocustRun) -> tuple[int, float] | None:
        self._place += 1
        run.enter(RAMP)
        if self._place == len(run.scenario.users):
            run.complete = True
            return None
        return self._user_count(run)

    def _until_done(self, run: LocustRun) -> tuple[int, float] | None:
        """Return the users of the only stage of a list, which lasts from its first request on."""
        if self._place < 0:
            self._place = 0
            run.enter(f"{run.scenario.most_users} users")
        elif run.numbers.done >= run.scenario.most_users:
            run.enter(RAMP)
            run.complete = True
            return None
        print_progress(run)
        return self._user_count(run)

    def _user_count(self, run: LocustRun) -> tuple[int, float]:
        users = run.scenario.users[self._place]
        return users, min(users, USERS_A_SECOND)
