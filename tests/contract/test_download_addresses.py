"""What every DownloadAddresses promises."""

import urllib.request

from tests.contract.backends import Backend
from vitrine.adapters.aws.download_addresses import S3DownloadAddresses
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.adapters.memory.download_addresses import MemoryDownloadAddresses
from vitrine.adapters.memory.object_store import MemoryObjectStore


def test_an_address_needs_no_signature_of_its_own(backend: Backend) -> None:
    store = backend.store()
    key = "a folder/näme.jpg"
    store.put(key, b"bytes", content_type="image/jpeg")
    if isinstance(store, MemoryObjectStore):
        addresses = MemoryDownloadAddresses(store)
        assert addresses.fetch(addresses.download_address(key, seconds=60)) == b"bytes"
        return
    assert isinstance(store, S3ObjectStore)
    assert backend.cloud is not None
    signed = S3DownloadAddresses(backend.cloud.signing_client(), store._bucket)
    with urllib.request.urlopen(signed.download_address(key, seconds=60)) as response:
        assert response.read() == b"bytes"
        assert response.headers["content-type"] == "image/jpeg"
