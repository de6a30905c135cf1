"""Uploads and deletes as the plan says, through the faulty proxy, and again until S3 says yes."""

import mimetypes
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

from botocore.exceptions import BotoCoreError, ClientError

from loadtest.drills.ingest.drill_ledger import DrillLedger
from loadtest.drills.ingest.drill_plan import Act, ActGroup, DrillPlan
from loadtest.drills.ingest.stored_state import Truth
from vitrine.adapters.aws.access import AwsAccess
from vitrine.errors import VitrineError

AT_ONCE = 4
PATIENT_AT_ONCE = 16
"""They mostly wait."""
PATIENCE_SECONDS = 180.0
WAIT_SECONDS = 600.0
"""Longest wait for an outcome: longer than a message whose starter was killed stays hidden."""
_PAUSE_SECONDS = 0.5


class Curators:
    """A few people at once, who keep the order of what they do to one master.

    `access` is where they meet S3, faults and all.
    """

    def __init__(
        self, plan: DrillPlan, ledger: DrillLedger, truth: Truth, access: AwsAccess
    ) -> None:
        self._plan = plan
        self._ledger = ledger
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="curator")
        self._patient = ThreadPoolExecutor(PATIENT_AT_ONCE, thread_name_prefix="patient")
        self._futures: list[Future[None]] = []
        self._s3 = access.client("s3")
        self._bucket = truth.masters_bucket
        self._outcomes = truth.outcomes
        self.done = 0
        """Groups of acts done; no more exact than people count."""

    @property
    def groups(self) -> int:
        """Number of acts."""
        return len(self._plan.groups)

    def start(self) -> None:
        """Begin."""
        last: dict[str, Future[None]] = {}
        for group in self._plan.groups:
            pool = self._patient if group.patient else self._pool
            last[group.key] = pool.submit(self._act_group, group, last.get(group.key))
            self._futures.append(last[group.key])

    def join(self) -> None:
        """Wait until all is done. Raises what went wrong, TimeoutError for want of an answer."""
        for future in self._futures:
            future.result()

    def stop(self) -> None:
        """Do no more."""
        for pool in (self._pool, self._patient):
            pool.shutdown(cancel_futures=True)

    @property
    def finished(self) -> bool:
        """Return True if nothing is left to do."""
        return all(future.done() for future in self._futures)

    def _act_group(self, group: ActGroup, before: Future[None] | None) -> None:
        if before is not None:
            before.result()
        if group.patient:
            self._await_outcome(group.key)
        for act in group.acts:
            self._act_until_done(act)
            self._ledger.note(act.key, act.master)
        self.done += 1

    def _await_outcome(self, key: str) -> None:
        deadline = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < deadline:
            with suppress(VitrineError):
                outcome = self._outcomes.get(key)
                if outcome and outcome.state != "running":
                    return
            time.sleep(_PAUSE_SECONDS)

    def _act_until_done(self, act: Act) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            with suppress(BotoCoreError, ClientError):
                return self._try_upload(act)
            time.sleep(_PAUSE_SECONDS)
        raise TimeoutError(f"S3 took no {act.key} for {PATIENCE_SECONDS:g} s")

    def _try_upload(self, act: Act) -> None:
        if act.master is None:
            self._s3.delete_object(Bucket=self._bucket, Key=act.key)
            return
        kind = mimetypes.guess_type(act.key)[0] or "application/octet-stream"
        self._s3.put_object(
            Bucket=self._bucket, Key=act.key, Body=act.master.body, ContentType=kind
        )
