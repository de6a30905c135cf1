"""Messages between the steps of the state machine: requests are imperative, results past.

Each is a frozen dataclass whose fields are the keys in JSON, except where a field's metadata names
another key. Every result carries its request's fields on, so a step needs only the state's input.
"""

from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, Self

from vitrine.store.layout import execution_name, withdrawal_name

_PREVIOUS_IDENTIFIERS = {"json": "formers"}
"""The key that running executions and stored failures use."""


class _Message:
    """A frozen dataclass that travels as JSON."""

    def as_json(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary."""
        return {_json_key(item): getattr(self, item.name) for item in _fields(type(self))}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Take the fields of this class from `data` and leave the rest.

        Raises KeyError for a missing field, unless it has a default: an execution may have begun
        before the field was added.
        """
        return cls(
            **{
                item.name: data[_json_key(item)]
                for item in _fields(cls)
                if _json_key(item) in data or not _is_optional(item)
            }
        )


def _fields(cls: type) -> tuple[Field[Any], ...]:
    return fields(cls)


def _json_key(item: Field[Any]) -> str:
    return str(item.metadata.get("json", item.name))


def _is_optional(item: Field[Any]) -> bool:
    return item.default is not MISSING or item.default_factory is not MISSING


@dataclass(frozen=True, kw_only=True)
class IngestMaster(_Message):
    """One version of a master, as the starter saw it in the store. Input of ConvertMaster."""

    master_key: str
    master_version: str
    master_etag: str
    master_bytes: int
    master_modified: str
    identifier: str
    redrives: str = ""
    """The failed execution that this one makes good, empty at the first try."""
    previous_identifiers: list[str] = field(default_factory=list, metadata=_PREVIOUS_IDENTIFIERS)
    """Other identifiers that this master had before."""
    published_as: str = ""
    """The identifier with which this master was published last, empty if it never was."""
    replaces: str = ""
    """The tombstones and redirects that a curator lets this master replace
    (`vitrine.ingest.publish.identifier_claim`)."""

    @property
    def execution(self) -> str:
        """Name of the execution."""
        return execution_name(self.master_key, self.master_version, self.redrives)


@dataclass(frozen=True, kw_only=True)
class MasterConverted(IngestMaster):
    """The access master is in the store. Input of VerifyAccessMaster and PublishImage.

    `levels` are [width, height] pairs from full resolution down; `width` and `height` are those of
    the access master (orientation applied). `samples` are [x, y, red, green, blue, ...]: mean
    colours of squares on some levels, from full resolution down, as JPEG shows them, which the
    verification compares (`vitrine.ingest.convert.sample_squares`).
    """

    version: str
    access_master_key: str
    access_master_bytes: int
    width: int
    height: int
    tile_width: int
    tile_height: int
    levels: list[list[int]]
    samples: list[list[int]]
    metadata_digest: str
    notes: list[str] = field(default_factory=list)
    """Sentences for the curator about a master that is converted all the same."""


@dataclass(frozen=True, kw_only=True)
class WithdrawImage(_Message):
    """Withdraw the image of a deleted master after a grace period. Input of WithdrawImage."""

    master_key: str
    master_version: str
    """The version that was ingested last."""
    master_modified: str
    """`master_modified` of that version."""
    identifier: str
    deletion: str
    """Version of the delete marker, empty if there is no marker."""
    grace_seconds: int
    attempt: str = ""
    """Distinguishes a later try of the reconciler from the first."""
    previous_identifiers: list[str] = field(default_factory=list, metadata=_PREVIOUS_IDENTIFIERS)
    """Other identifiers that this master had before: a rename may have been interrupted."""
    published_as: str = ""
    """The identifier with which this master was published last."""

    @property
    def execution(self) -> str:
        """Name of the execution."""
        return withdrawal_name(self.master_key, self.master_version, self.deletion, self.attempt)
