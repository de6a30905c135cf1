"""The bucket in memory among threads."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import PreconditionFailed


def test_of_several_conditional_writes_at_once_one_succeeds() -> None:
    def slow_clock() -> datetime:
        time.sleep(0.02)
        return datetime.now(UTC)

    store = MemoryObjectStore(now=slow_clock)

    def write(number: int) -> bool:
        try:
            store.put("key", str(number).encode(), content_type="text/plain", if_etag="")
        except PreconditionFailed:
            return False
        return True

    with ThreadPoolExecutor(5) as pool:
        assert sum(pool.map(write, range(5))) == 1
