"""A store that sends other bytes than it holds, and a disk that changes what it keeps, under load.

First a sound image task says what is right. Then one starts cold over a store that changes four
reads in ten. At last all files in the task's folder are damaged while it answers, first those of
the block cache, then with nginx's caches of finished answers on, which must not be among them. An
answer may be refused; other bytes it may never have.
"""

import asyncio
import os
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from loadtest.corpora.access_masters import DESCRIPTIONS, make_master
from loadtest.drills.restarts.balancer import BalancedClient, Balancer, ExpectedBytes
from loadtest.drills.restarts.drilled_task import DrilledTask, on_folder
from loadtest.report.document import Part, Table
from loadtest.report.saved_run import Report
from loadtest.studies.view_mix import view_mix
from loadtest.workload.answers import Answer
from loadtest.workload.target import Target
from rigs.gateway_process import STORE_URL
from rigs.object_server.response_bodies import FLIPPED_BYTES
from rigs.object_server.response_faults import Fault, ResponseFault
from rigs.object_server.server_process import RunningStore, run_store

PICTURE = "photo-24.tif"
DECKS = 4
ANSWERS_A_DAMAGE = 50
"""Answers from one damage to all files of the cache to the next: a slow machine has as many."""
EXAMPLES = 5
LIES = tuple(
    Fault(kind=kind, every=10, skip=skip)
    for kind, skip in (
        (ResponseFault.FLIPPED, 0),
        (ResponseFault.SHIFTED, 3),
        (ResponseFault.ZEROS, 6),
        (ResponseFault.SHORT, 8),
    )
)
"""Faults: of ten reads one has a bit changed in each 8 KiB; one is shifted, one zeros, one cut off.
"""
_NO_CACHES = {
    "VITRINE_DERIVATIVE_CACHE_MEBIBYTES": "0",
    "VITRINE_TILE_CACHE_MEBIBYTES": "0",
    "VITRINE_CACHE_MEBIBYTES": "16",
}
"""nginx keeps no finished answers, and the block cache is so small that it goes on reading."""
_KEPT_ANSWERS = {
    "VITRINE_DERIVATIVE_CACHE_MEBIBYTES": "64",
    "VITRINE_TILE_CACHE_MEBIBYTES": "64",
    "VITRINE_IDENTIFIER_TTL_SECONDS": "600",
}
"""nginx keeps finished answers, tiles for so long that a slow machine requests them again."""
_PARTS = {
    "sound": _NO_CACHES,
    "store": _NO_CACHES,
    "disk": _NO_CACHES,
    "kept": _NO_CACHES | _KEPT_ANSWERS,
}
"""Settings of the image task in each part."""
_DAMAGED = ("disk", "kept")
Progress = Callable[[str], None]
Answered = Callable[[int], Awaitable[None]]


class _Load:
    """Clients that request a list of addresses again and again."""

    def __init__(self, targets: list[Target], clients: int, expected: ExpectedBytes) -> None:
        self._targets = targets
        self._clients = clients
        self._expected = expected

    async def run(self, task: DrilledTask, rounds: int, answered: Answered) -> list[Answer]:
        """Request all addresses `rounds` times; await `answered` with the number of answers."""
        balancer = Balancer()
        balancer.register(task)
        answers: list[Answer] = []
        await asyncio.gather(
            *(
                self._run_client(number, balancer, answers, rounds, answered)
                for number in range(self._clients)
            )
        )
        return answers

    async def _run_client(
        self,
        number: int,
        balancer: Balancer,
        answers: list[Answer],
        rounds: int,
        answered: Answered,
    ) -> None:
        client = BalancedClient(balancer, self._expected, number)
        mine = self._targets[number :: self._clients]
        random.Random(number).shuffle(mine)
        for target in mine * rounds:
            answers.append(await client.request(target))
            await answered(len(answers))
        client.close()


def measure_wrong_bytes(
    rounds: int, clients: int, scratch: Path, progress: Progress
) -> dict[str, Any]:
    """Request all addresses `rounds` times in each part; return the figures. Raises ProcessDied."""
    masters = scratch.resolve() / "wrong-bytes"
    master = make_master(masters, PICTURE, progress)
    expected = ExpectedBytes()
    load = _Load(view_mix([master], DECKS), clients, expected)
    parts: dict[str, dict[str, Any]] = {}
    with run_store(masters) as store:
        for name in _PARTS:
            parts[name] = _run_part(name, load, expected, masters, store, rounds)
            progress(f"{name}: {parts[name]}")
    return {"picture": DESCRIPTIONS[PICTURE], "clients": clients, "parts": parts}


def _run_part(
    name: str,
    load: _Load,
    expected: ExpectedBytes,
    masters: Path,
    store: RunningStore,
    rounds: int,
) -> dict[str, Any]:
    task = DrilledTask(on_folder(masters), {STORE_URL: store.url} | _PARTS[name])
    task.start()
    try:
        store.fail(*LIES if name == "store" else ())
        store.forget()
        before = expected.wrong
        answers, damages = asyncio.run(_answer_load(load, task, rounds, damage=name in _DAMAGED))
        store.fail()
        afterwards = asyncio.run(load.run(task, 1, _go_on)) if name != "sound" else []
        refused = [answer for answer in answers if answer.status == 503]
        failed = [one for one in answers if one.fault and one.status != 503]
        failed += [one for one in afterwards if one.fault]
        reads = store.reads()
        return {
            "requests": len(answers),
            "wrong_bytes": expected.wrong - before,
            "refused": len(refused),
            "failed": len(failed) - (expected.wrong - before),
            "afterwards": len(afterwards),
            "examples": [f"{one.target.path}: {one.fault}" for one in failed[:EXAMPLES]],
            "reads": len(reads),
            "changed_reads": sum(bool(read.fault) for read in reads),
            "damages": damages,
            "kept_answers": task.kept_answers(),
            "cpu_ms_a_request": round(1000 * task.cpu_seconds() / max(1, len(answers)), 3),
        }
    finally:
        task.stop()


async def _answer_load(
    load: _Load, task: DrilledTask, rounds: int, *, damage: bool
) -> tuple[list[Answer], int]:
    """Return the answers, and how many bits of the task's files were changed meanwhile."""
    chance, damages = random.Random(3), 0

    async def answered(count: int) -> None:
        nonlocal damages
        if count % ANSWERS_A_DAMAGE == 0:
            for path in _cached_files(task.work):
                damages += await asyncio.to_thread(damage_file, path, chance)

    return await load.run(task, rounds, answered if damage else _go_on), damages


async def _go_on(_: int) -> None:
    """Damage nothing."""


def _cached_files(work: Path) -> list[Path]:
    """Return the files of a task's folder from which answers are made."""
    spared = [work / name for name in ("bin", "logs", "nginx", "run")]
    return [
        path for path in work.glob("**/*") if path.is_file() and not {*path.parents} & {*spared}
    ]


def damage_file(path: Path, chance: random.Random) -> int:
    """Change a bit in every 8 KiB that a sparse file holds; return how many."""
    changed = 0
    try:
        descriptor = os.open(path, os.O_RDWR)
    except FileNotFoundError:  # evicted
        return 0
    try:
        start, size = 0, os.fstat(descriptor).st_size
        while start < size:
            try:
                start = os.lseek(descriptor, start, os.SEEK_DATA)
            except OSError:  # there are only holes behind
                break
            at = min(start + chance.randrange(FLIPPED_BYTES), size - 1)
            if byte := os.pread(descriptor, 1, at):
                os.pwrite(descriptor, bytes([byte[0] ^ 1 << chance.randrange(8)]), at)
                changed += 1
            start += FLIPPED_BYTES
    finally:
        os.close(descriptor)
    return changed


def broken_promises(figures: dict[str, Any]) -> list[str]:
    """Return a sentence for each promise that the run broke."""
    found = []
    for name, part in figures["parts"].items():
        if part["wrong_bytes"]:
            found.append(f"{name}: {part['wrong_bytes']} answers had other bytes than were stored.")
        if part["failed"]:
            found.append(f"{name}: {part['failed']} answers failed: {'; '.join(part['examples'])}")
    parts = figures["parts"]
    harmless = [name for name in _DAMAGED if not parts[name]["damages"]]
    if harmless or not parts["store"]["changed_reads"]:
        found.append("Nothing was damaged: let the drill have more rounds.")
    if not parts["kept"]["kept_answers"]:
        found.append("nginx kept no answer: let the drill have more rounds.")
    return found


def report_parts(figures: dict[str, Any]) -> list[Part]:
    """Return the report."""
    parts = figures["parts"]
    names = [name for name in parts["sound"] if name != "examples"]
    rows = [
        (name.replace("_", " "), *(f"{part[name]:,}" for part in parts.values())) for name in names
    ]
    return [Table("Answers and damage", ("", *parts), rows)]


REPORT = Report(bench="wrong-bytes", title="Wrong bytes in store and cache", parts=report_parts)
