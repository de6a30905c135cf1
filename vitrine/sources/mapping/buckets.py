"""What a file of rules names in buckets: its table is fetched, its images are listed."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from vitrine.errors import ObjectMissing
from vitrine.sources.mapping.mapping_file import MappingFile, MappingUnusable
from vitrine.sources.mapping.masters_folder import MasterFiles, folder_masters, prefix_masters


class Buckets(Protocol):
    """Objects by their addresses, s3://bucket/key."""

    def list_addresses(self, address: str) -> Iterator[str]:
        """Yield the addresses of all objects below that of a prefix. Raises ObjectMissing."""
        ...

    def download(self, address: str, path: Path) -> None:
        """Write an object to a file. Raises ObjectMissing."""
        ...


def fetch_table(mapping: MappingFile, buckets: Buckets) -> MappingFile:
    """Return the rules with a table that is here; one in a bucket is fetched next to the file.

    Raises MappingUnusable and TransientError.
    """
    if not mapping.table_address:
        return mapping
    beside = mapping.table.with_name(f"{mapping.table.name}.part")
    try:
        buckets.download(mapping.table_address, beside)
        beside.replace(mapping.table)
    except ObjectMissing as error:
        raise MappingUnusable(f"source.table cannot be fetched: {error}") from None
    finally:
        beside.unlink(missing_ok=True)
    return replace(mapping, table_address="")


def find_masters(mapping: MappingFile, buckets: Buckets) -> MasterFiles:
    """Return the image files of the rules. Raises MappingUnusable, TransientError and OSError."""
    address = mapping.masters_address
    if not address:
        return folder_masters(mapping.masters)
    try:
        return prefix_masters(address, buckets.list_addresses(address))
    except ObjectMissing as error:
        raise MappingUnusable(f"source.masters cannot be listed: {error}") from None
