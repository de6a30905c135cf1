"""The institution's table of rights, at hand for those who may not wait for it."""

import threading
import time
from collections.abc import Callable, Mapping

from vitrine.access.rights import Right, read_access
from vitrine.errors import AccessRefused, ObjectMissing, ServiceFailed
from vitrine.ports import ObjectStore
from vitrine.store.layout import ACCESS_TABLE

Start = Callable[[Callable[[], None]], None]


def start_thread(work: Callable[[], None]) -> None:
    """Do the work in a thread that does not hold up the end of the process."""
    threading.Thread(target=work, name="rights", daemon=True).start()


class RightsTable:
    """Reads the table when it is made, and again at most once in a number of seconds if it is used.

    Reading is left to `start`, so that nobody who asks has to wait.
    """

    def __init__(
        self,
        records: ObjectStore,
        seconds: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
        start: Start = start_thread,
    ) -> None:
        self._records = records
        self._seconds = seconds
        self._clock = clock
        self._start = start
        self._rights: Mapping[str, Right] | None = None
        self._began = -seconds
        self._renew()

    def current(self) -> Mapping[str, Right] | None:
        """Return the rights by their names, as they were last read; None: not read yet."""
        if self._clock() - self._began >= self._seconds:
            self._renew()
        return self._rights

    def _renew(self) -> None:
        self._began = self._clock()
        self._start(self._read)

    def _read(self) -> None:
        try:
            body, _ = self._records.get(ACCESS_TABLE)
            self._rights = read_access(bytes(body)).rights
        except ObjectMissing:
            self._rights = {}
        except (AccessRefused, ServiceFailed):
            # Better what was read before, or nothing yet, than images without a way in.
            return
