"""What must hold after each step of a curated museum, from what curators said about it."""

from collections import defaultdict

from vitrine.access.rules import read_rule
from vitrine.adapters.memory.ingest_services import MemoryIngestServices
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.records import Gone, Live, Record, Redirect
from vitrine.store.layout import key_stem

NAMES = ("alpha", "beta", "gamma")
KEYS = ("a/alpha.tif", "b/alpha.tif", "beta.tif")


class Promises:
    """What curators decided, and the check that it holds."""

    masters: MemoryObjectStore
    services: MemoryIngestServices

    def __init__(self) -> None:
        self.held_names: dict[str, set[str]] = {}
        """Names that were withdrawn, and the masters that a curator lets have them."""
        self.held_masters: dict[str, set[str]] = {}
        """Masters whose image was withdrawn, and the names that a curator lets them have."""
        self.covered: set[str] = set()
        """Withdrawn names that a curator replaced by a redirect."""
        self.given: dict[tuple[str, str], set[str]] = defaultdict(set)
        """For a master and a name, the versions with which somebody gave it that name."""
        self.replaceable: dict[str, set[str]] = defaultdict(set)
        """Redirects that a curator lets these masters replace."""

        self.closed: set[str] = set()
        """Masters whose image a curator closed, and nobody has opened since."""

    def record(self, name: str) -> Record | None:
        return self.services.identifiers.get(name)

    def check(self, before: dict[str, Record | None]) -> None:
        """`before` are the records as they were before the last thing happened."""
        for name in NAMES:
            record = self.record(name)
            self._check_journal(name, record)
            if isinstance(record, Live):
                self._check_live(record, before)
            if isinstance(record, Redirect) and not isinstance(before[name], Redirect):
                self.replaceable[name].clear()
            if name in self.held_names:
                assert isinstance(record, Gone | Live), f"{name}: its tombstone was replaced"

    def check_quiet(self) -> None:
        """Everything has ended and was reconciled."""
        for name in NAMES:
            record = self.record(name)
            assert record == self.services.register.journal.latest(name)
            if isinstance(record, Live):
                assert self.services.access_masters.tags(record.access_master_key) == {}
                self.masters.head(record.master_key)
        for key in KEYS:
            outcome = self.services.outcomes.get(key)
            assert outcome is None or outcome.state != "running"

    def _check_journal(self, name: str, record: Record | None) -> None:
        """The table holds an entry of the journal, at most one behind: that of a killed writer."""
        history = self.services.register.journal.history(name)
        assert [item.revision for item in history] == list(range(1, len(history) + 1))
        assert record in [*history[-2:], *([None] if len(history) < 2 else [])]

    def _check_live(self, image: Live, before: dict[str, Record | None]) -> None:
        name, key = image.identifier, image.master_key
        assert image.access_master_key in self._stored_access_masters(), "half published"
        if name in self.held_names:
            assert key in self.held_names[name], f"{name} is live though it was withdrawn"
            del self.held_names[name]
            self.held_masters.pop(key, None)
        if key in self.held_masters:
            allowed = self.held_masters[key]
            assert name in allowed, f"the withdrawn image of {key} is live as {name}"
        if key in self.closed:
            for version in (image, *filter(None, [image.before])):
                assert read_rule(version.access).shows == "nothing", (
                    f"{name} shows the closed {key}"
                )
        earlier = before[name]
        if isinstance(earlier, Redirect):
            assert self._shows(earlier, before, key) or key in self.replaceable[name], (
                f"{name}, a redirect, shows {key}"
            )
            self.covered.discard(name)
        assert name == key_stem(key) or self.given[key, name] or self._was_shown(name, key), (
            f"nobody gave {key} the name {name}"
        )

    def _shows(self, redirect: Redirect, records: dict[str, Record | None], key: str) -> bool:
        record: Record | None = redirect
        for _ in NAMES:
            record = records.get(record.target) if isinstance(record, Redirect) else record
        return isinstance(record, Live) and record.master_key == key

    def _was_shown(self, name: str, key: str) -> bool:
        history = self.services.register.journal.history(name)[:-1]
        return any(isinstance(item, Live) and item.master_key == key for item in history)

    def _stored_access_masters(self) -> set[str]:
        entries = self.services.access_masters.list_keys().entries
        return {entry.key for entry in entries if not entry.deleted}
