"""The whole image task over a real HTTP store of our own, whose answers can be made to fail."""

import asyncio
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

import aiohttp

from rigs.access_master import read_live
from rigs.object_server.server_process import RunningStore, run_store
from tests.integration.deliver.deliver_rig import Rig, wait_until_ready
from tests.integration.deliver.recognised_pictures import cells
from tests.patience import SECONDS
from tests.rigs.image_addresses import address
from vitrine.identify.switch import replace_later
from vitrine.records import Live, record_as_json
from vitrine.store.clock import now

PARTS = ("iipsrv", "gateway", "nginx")


@dataclass(frozen=True)
class Answer:
    """What a client of the task got; a status of 0 stands for a broken connection."""

    parameters: str
    status: int
    headers: Mapping[str, str]
    """Names in any case."""
    body: bytes


@dataclass
class StoredRig:
    """A running task, its store, and what is published there."""

    rig: Rig
    server: RunningStore
    records: dict[str, Live] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)

    def publish(
        self, pyramid: Path, identifier: str = "", version: str = "1", *, seconds: float = 0
    ) -> Live:
        """Put a pyramid into the store and make it what `identifier` (else: a new one) answers.

        It replaces an earlier publication only after a number of seconds.
        """
        identifier = identifier or f"image-{next(self.numbers)}"
        key = f"{identifier}-{version}.tif"
        self.replace_object(pyramid, key)
        record = read_live(self.rig.store / key, identifier)
        image = replace(record, version=version, published_at=now())
        current = self.records.get(identifier)
        self.records[identifier] = replace_later(current, image, seconds) if current else image
        self.write_records()
        return self.records[identifier]

    def replace_object(self, pyramid: Path, key: str) -> None:
        """Another object under the key, at once."""
        new = self.rig.store / "new"
        shutil.copyfile(pyramid, new)
        new.rename(self.rig.store / key)

    def write_records(self) -> None:
        """Let the identifiers table hold what `records` says."""
        items = [record_as_json(record) for record in self.records.values()]
        new = self.rig.work / "records.new"
        new.write_text(json.dumps(items))
        new.rename(self.rig.store / "records.json")

    def ask(self, image: Live, parameters: Sequence[str]) -> list[Answer]:
        """All of these at once, each from a client of its own."""
        return asyncio.run(ask_at_once(self.rig.url, image, parameters))


async def ask_at_once(url: str, image: Live, parameters: Sequence[str]) -> list[Answer]:
    """The answers, in order."""
    timeout = aiohttp.ClientTimeout(total=SECONDS)
    async with aiohttp.ClientSession(url, connector=unlimited(), timeout=timeout) as client:
        return await asyncio.gather(*(ask(client, image, item) for item in parameters))


def unlimited() -> aiohttp.TCPConnector:
    """As many connections as there are requests."""
    return aiohttp.TCPConnector(limit=0)


async def ask(client: aiohttp.ClientSession, image: Live, parameters: str) -> Answer:
    """One answer."""
    try:
        async with client.get(address(image, parameters)) as response:
            body = await response.read()
            return Answer(parameters, response.status, response.headers, body)
    except aiohttp.ClientError as error:
        return Answer(parameters, 0, {}, repr(error).encode())


@contextmanager
def stored_rig(
    *, cache_disk_bytes: int = 0, cache: str = "cache", **variables: str
) -> Iterator[StoredRig]:
    """Start store and task; stopped at the end. Settings by name in capitals.

    `cache_disk_bytes`: this cache lies on a disk of its own of this size. Raises OSError where
    none can be made.
    """
    with ExitStack() as stack:
        # Paths of Unix sockets are short: a hundred bytes.
        work = Path(tempfile.mkdtemp(prefix="vitrine-"))
        stack.callback(shutil.rmtree, work)
        store = work / "store"
        store.mkdir()
        (store / "records.json").write_text("[]")
        if cache_disk_bytes:
            stack.enter_context(_small_disk(work / cache, cache_disk_bytes))
        server = stack.enter_context(run_store(store))
        access = {
            "AWS_ENDPOINT_URL": server.url,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
        rig = Rig(work, store, {**access, **variables})
        stack.callback(_stop, rig)
        rig.start(*PARTS)
        asyncio.run(wait_until_ready(rig))
        yield StoredRig(rig, server)


def _stop(rig: Rig) -> None:
    for name in reversed(PARTS):
        if name in rig.processes:
            rig.stop(name)


@contextmanager
def _small_disk(path: Path, size: int) -> Iterator[None]:
    path.mkdir(parents=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "vitrine-test", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise OSError(f"no disk of its own for the cache: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True)


def colour(answer: Answer) -> str:
    """The one colour that all of the answer has."""
    assert answer.status == 200, f"{answer.parameters}: {answer.status} {answer.body[:200]!r}"
    found = cells(answer.body)
    redder = found[..., 0] - found[..., 2]
    assert (abs(redder) > 60).all(), f"{answer.parameters} has no clear colour"
    colours = {"red" if much > 0 else "blue" for much in redder.flat}
    assert len(colours) == 1, f"{answer.parameters} is half old, half new"
    return colours.pop()
