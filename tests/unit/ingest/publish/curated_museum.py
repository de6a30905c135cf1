"""A museum whose curators, uploads, events and crashes come in any order, and what must hold.

Everything is the service's own code over ports in memory; only the conversion is left out. The
promises are kept apart from that code: from what curators said, never from what it recorded.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.unit.ingest.crashes import Crash
from tests.unit.ingest.followed_masters import FollowedMasters, converted
from tests.unit.ingest.publish.promises import NAMES, Promises
from tests.unit.ingest.walked import walk
from vitrine.adapters.memory.ingest_services import MemoryIngestServices
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import (
    IdentifierRefused,
    MasterRejected,
    ObjectMissing,
    SupersededMaster,
    TransientError,
)
from vitrine.identify.rebuild import rebuild
from vitrine.identify.redirects.redirects import Redirects
from vitrine.ingest.messages import IngestMaster, WithdrawImage
from vitrine.ingest.publish.curation import Curation
from vitrine.ingest.publish.identifier_claim import check_claim
from vitrine.ingest.record_outcome import record_failure, record_rejection
from vitrine.ingest.rejections import damaged_file
from vitrine.ingest.services import IngestServices
from vitrine.ingest.start.start_ingest import start_ingest
from vitrine.ingest.steps.publish_image import publish_image
from vitrine.ingest.steps.withdraw_image import withdraw_image
from vitrine.records import Live
from vitrine.store.layout import access_master_key, image_version

DAMAGED = b"damaged"


class CuratedMuseum(Promises):
    """What happens to masters and identifiers, and what curators decided about them."""

    def __init__(self) -> None:
        super().__init__()
        self._seconds = 0
        begin = datetime(2026, 11, 21, tzinfo=UTC)
        self.masters = MemoryObjectStore(lambda: begin + timedelta(seconds=self._seconds))
        self.services = MemoryIngestServices(masters=self.masters)
        self.executions: list[IngestMaster] = []
        self.withdrawals: list[WithdrawImage] = []
        self._seen: set[str] = set()

    # What happens to masters.

    def tick(self) -> None:
        self._seconds += 1

    def upload(self, key: str, body: bytes, name: str, replacing: bool) -> None:
        """With a name, a curator gives it one; `replacing` is the permission that goes with it."""
        metadata = {"identifier": name} if name else {}
        if name and replacing:
            metadata |= self.curation().permit_upload(
                key, name, replace_withdrawn=True, replace_redirect=True
            )
            self._permit(key, name)
        info = self.masters.put(key, body, content_type="image/tiff", metadata=metadata)
        if name:
            self.given[key, name].add(info.version)

    def delete(self, key: str) -> None:
        self.masters.delete(key)

    def undelete(self, key: str) -> None:
        try:
            self.masters.head(key)
        except ObjectMissing as missing:
            if missing.deletion:
                self.masters.restore(key)

    # What the service does.

    def start(self, key: str, redrives: str = "", crash: Crash | None = None) -> None:
        services = crash.over(self.services) if crash else self.services
        try:
            start_ingest(services, key, redrives)
        except TransientError:
            return
        finally:
            self._collect()

    def redrive(self, key: str) -> None:
        outcome = self.services.outcomes.get(key)
        if outcome and outcome.state == "failed":
            self.start(key, outcome.execution)

    def run(self, number: int, crash: Crash | None = None) -> bool:
        """Run an execution to its end; False if it died on the way, and can be tried again."""
        request = self.executions[number % len(self.executions)]
        services = crash.over(self.services) if crash else self.services
        try:
            self._convert_and_publish(services, request)
        except TransientError:
            return False
        except SupersededMaster:
            pass
        except MasterRejected as error:
            record_rejection(self.services, request, error.rejection)
            self._note_rejection(request)
        self.executions.remove(request)
        return True

    def run_all(self) -> None:
        while self.executions:
            self.run(0)

    def lose(self, number: int) -> None:
        """The execution is gone, as with a killed emulator: nobody records anything."""
        self.executions.pop(number % len(self.executions))

    def fail(self, number: int) -> None:
        request = self.executions.pop(number % len(self.executions))
        record_failure(self.services, request, {"Error": "Runtime.ExitError"})

    def end_grace(self, number: int, crash: Crash | None = None) -> None:
        request = self.withdrawals[number % len(self.withdrawals)]
        services = crash.over(self.services) if crash else self.services
        try:
            withdraw_image(services, request)
        except TransientError:
            self._collect()
            return
        except SupersededMaster:
            pass
        self.withdrawals.remove(request)
        self._collect()

    def reconcile(self) -> None:
        """A walk long after: no earlier execution counts as running."""
        walk(FollowedMasters(self.services))
        self._collect()

    def rebuild(self) -> None:
        rebuild(self.services.identifiers, self.services.records)

    # What curators decide. A command whose answer is lost is given again.

    def curation(self, crash: Crash | None = None) -> Curation:
        services = crash.over(self.services) if crash else self.services
        return Curation(
            register=services.register, masters=services.masters, outcomes=services.outcomes
        )

    def withdraw(self, name: str, reason: str, crash: Crash | None = None) -> None:
        before = self.shown_masters(name)
        try:
            self._repeat_command(lambda died: self.curation(died).withdraw(name, reason), crash)
        except IdentifierRefused:
            return
        self.held_names[name] = set()
        image = self.services.register.journal.last_image(name)
        for key in before | ({image.master_key} if image else set()):
            if not any(key in self.shown_masters(other) for other in NAMES):
                self.held_masters[key] = set()

    def restore(self, name: str, crash: Crash | None = None) -> None:
        try:
            info = self._repeat_command(lambda died: self.curation(died).restore(name), crash)
        except IdentifierRefused:
            return
        if info:
            self.given[info.key, name].add(info.version)
            self._permit(info.key, name)

    def rename(self, old: str, new: str, replacing: bool, crash: Crash | None = None) -> None:
        try:
            info = self._repeat_command(
                lambda died: self.curation(died).rename(old, new, replace_withdrawn=replacing),
                crash,
            )
        except IdentifierRefused:
            return
        if info:
            self.given[info.key, new].add(info.version)
            if replacing:
                self._permit(info.key, new)

    def redirect(self, old: str, new: str, replacing: bool) -> None:
        try:
            Redirects(self.services.register).add(
                old, new, replace_live=replacing, replace_withdrawn=replacing
            )
        except IdentifierRefused:
            return
        if self.held_names.pop(old, None) is not None and replacing:
            self.covered.add(old)

    def remove_redirect(self, name: str) -> None:
        try:
            Redirects(self.services.register).remove(name)
        except IdentifierRefused:
            return
        if name in self.covered:
            self.covered.remove(name)
            self.held_names[name] = set()

    def close(self, name: str, crash: Crash | None = None) -> None:
        """Close an image that is not being renamed: while it is, each of two names has a rule."""
        shown = self.shown_masters(name)
        if any(shown & self.shown_masters(other) for other in NAMES if other != name):
            return
        try:
            self._repeat_command(lambda died: self.curation(died).set_access(name, "closed"), crash)
        except IdentifierRefused:
            return
        self.closed |= shown

    def open(self, name: str, crash: Crash | None = None) -> None:
        try:
            self._repeat_command(lambda died: self.curation(died).set_access(name, "open"), crash)
        except IdentifierRefused:
            return
        history = self.services.register.journal.history(name)
        self.closed -= {item.master_key for item in history if isinstance(item, Live)}

    def shown_masters(self, name: str) -> set[str]:
        record = self.record(name)
        return {record.master_key} if isinstance(record, Live) else set()

    def _permit(self, key: str, name: str) -> None:
        if name in self.held_names:
            self.held_names[name].add(key)
        if key in self.held_masters:
            self.held_masters[key].add(name)
        self.replaceable[name].add(key)

    def _note_rejection(self, request: IngestMaster) -> None:
        """A rename that ends rejected leaves nothing that happens later.

        One that another execution has carried out already stays: its master may have been deleted
        meanwhile, and the withdrawal be under way. While the reconciler's execution of the same
        version runs, too, that one decides: the name may be free when it publishes.
        """
        twins = [
            other
            for other in self.executions
            if (other.master_key, other.master_version)
            == (request.master_key, request.master_version)
        ]
        if len(twins) > 1:
            return
        if request.master_key in self.shown_masters(request.identifier):
            return
        outcome = self.services.outcomes.get(request.master_key)
        rejected = outcome and outcome.state == "rejected"
        if rejected and outcome and outcome.master_version == request.master_version:
            for (key, _), versions in self.given.items():
                if key == request.master_key and request.published_as:
                    versions.discard(request.master_version)

    def _convert_and_publish(self, services: IngestServices, request: IngestMaster) -> None:
        check_claim(services, request)
        body = self.masters.read(request.master_key, 0, 100, version=request.master_version).data
        if body == DAMAGED:
            raise damaged_file("its end is missing")
        version = image_version(request.master_etag, "recipe")
        key = access_master_key(request.identifier, version)
        services.access_masters.put(key, b"1", content_type="image/tiff")
        publish_image(services, converted(request, version, key))

    def _repeat_command(self, command: Callable[[Crash | None], Any], crash: Crash | None) -> Any:
        try:
            return command(crash)
        except TransientError:
            return command(None)

    def _collect(self) -> None:
        for name, request in self.services.pipeline.executions.items():
            if name not in self._seen:
                self.executions.append(IngestMaster.from_json(request))
        for name, request in self.services.withdrawals.executions.items():
            if name not in self._seen:
                self.withdrawals.append(WithdrawImage.from_json(request))
        self._seen |= self.services.pipeline.executions.keys()
        self._seen |= self.services.withdrawals.executions.keys()
