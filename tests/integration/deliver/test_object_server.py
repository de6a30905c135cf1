"""The object server is an S3 to our S3 adapter, and its faults arrive there as they should."""

from collections.abc import Iterator

import pytest

from rigs.object_server.response_faults import Fault, ResponseFault
from rigs.object_server.server_process import RunningStore, run_store
from tests.patience import SECONDS
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.errors import ObjectMissing, PreconditionFailed, TransientError

BODY = bytes(range(256)) * 4000


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStore]:
    directory = tmp_path_factory.mktemp("objects")
    (directory / "folder").mkdir()
    (directory / "folder/object").write_bytes(BODY)
    with run_store(directory) as store:
        yield store


@pytest.fixture
def server(running: RunningStore) -> RunningStore:
    running.fail()
    running.forget()
    return running


@pytest.fixture
def impatient(running: RunningStore) -> S3ObjectStore:
    """The adapter over a client that neither retries nor waits: each fault is seen."""
    return running.store_that_waits(0.5)


def patient(server: RunningStore) -> S3ObjectStore:
    return server.store_that_waits(SECONDS)


def test_a_range_comes_with_etag_and_size(server: RunningStore) -> None:
    part = server.store().read("folder/object", 10, 20)
    head = server.store().head("folder/object")
    assert (part.data, part.size, part.etag) == (BODY[10:30], len(BODY), head.etag)
    assert head.size == len(BODY)


def test_only_the_wanted_version_is_read(server: RunningStore) -> None:
    etag = server.store().head("folder/object").etag
    assert server.store().read("folder/object", 0, 4, if_etag=etag).data == BODY[:4]
    with pytest.raises(PreconditionFailed):
        server.store().read("folder/object", 0, 4, if_etag="another")


@pytest.mark.parametrize("key", ["folder/none", "folder", "../folder/object", "folder/../x"])
def test_what_is_no_file_below_the_directory_is_missing(server: RunningStore, key: str) -> None:
    with pytest.raises(ObjectMissing):
        server.store().read(key, 0, 4)


@pytest.mark.parametrize(
    "kind",
    [
        ResponseFault.INTERNAL_ERROR,
        ResponseFault.SLOW_DOWN,
        ResponseFault.RESET,
        ResponseFault.SHORT,
        ResponseFault.STALL,
        ResponseFault.SILENT,
    ],
)
def test_a_fault_is_a_transient_error_and_the_next_read_is_right(
    server: RunningStore, impatient: S3ObjectStore, kind: ResponseFault
) -> None:
    server.fail(Fault(kind=kind, times=1, seconds=5))
    with pytest.raises(TransientError):
        impatient.read("folder/object", 0, 500_000)
    assert patient(server).read("folder/object", 0, 500_000).data == BODY[:500_000]


def test_a_trickle_is_right_in_the_end(server: RunningStore) -> None:
    server.fail(Fault(kind=ResponseFault.TRICKLE, times=1, seconds=0.3))
    assert patient(server).read("folder/object", 0, 500_000).data == BODY[:500_000]


def test_requests_and_bytes_are_counted(server: RunningStore) -> None:
    store = server.store()
    store.head("folder/object")
    store.read("folder/object", 0, 100)
    store.read("folder/object", 50, 100)
    summary = server.summary()
    assert (summary.reads, summary.bytes, summary.repeated) == (3, 200, 50)
