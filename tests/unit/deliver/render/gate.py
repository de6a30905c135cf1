"""Work that ends when a test says so."""

import threading
from collections.abc import Callable

from vitrine.deliver.render.job import RenderJob
from vitrine.deliver.render.pool import RenderPool


class Gate:
    """Work that says when it began, and ends when it may."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.may_end = threading.Event()
        self.job: RenderJob | None = None

    def __call__(self, job: RenderJob) -> str:
        self.job = job
        self.begun.set()
        while not self.may_end.wait(0.001):
            job.check()
        return "done"


async def admitted(
    pool: RenderPool, work: Callable[[RenderJob], str], memory_bytes: int = 1, pixels: float = 0
) -> str:
    with pool.admission():
        return await pool.run(memory_bytes, pixels, work)
