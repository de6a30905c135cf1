"""What travels between the steps of the state machine: requests are imperative, results past.

Each is a frozen dataclass; `as_json` and `from_json` keep the keys of the fields. Every
result carries its request's fields on, so a step needs only the state's input.
"""

from dataclasses import MISSING, asdict, dataclass, field, fields
from typing import Any, Self

from vitrine.ingest.inspect.size_class import SizeClass
from vitrine.store.layout import execution_name, withdrawal_name


class _Message:
    """A frozen dataclass that travels as JSON."""

    def as_json(self) -> dict[str, Any]:
        """A JSON-ready dictionary."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Takes the fields of this class and leaves the rest.

        Raises KeyError for an absent one, unless it has a default: an execution may have begun
        before the field was added.
        """
        optional = {
            item.name
            for item in fields(cls)  # type: ignore[arg-type]
            if item.default is not MISSING or item.default_factory is not MISSING
        }
        wanted = [item.name for item in fields(cls)]  # type: ignore[arg-type]
        return cls(**{name: data[name] for name in wanted if name in data or name not in optional})


@dataclass(frozen=True, kw_only=True)
class IngestMaster(_Message):
    """One version of one master, as the starter found it in the store. Input of ReadHeader."""

    master_key: str
    master_version: str
    master_etag: str
    master_bytes: int
    master_modified: str
    identifier: str
    redrives: str = ""
    """The failed execution that this one was started for, empty at the first try."""
    formers: list[str] = field(default_factory=list)
    """Other identifiers that this master had before."""
    keep_withdrawn: bool = False
    """Whether the identifier is left to another master's image that was withdrawn."""

    @property
    def execution(self) -> str:
        """Name of the execution."""
        return execution_name(self.master_key, self.master_version, self.redrives)


@dataclass(frozen=True, kw_only=True)
class HeaderRead(IngestMaster):
    """The master's header is acceptable. Input of ConvertMaster."""

    format: str
    width: int
    height: int
    size_class: str = SizeClass.LARGE
    """What converts it: the small or the large Lambda, or a task."""
    notes: list[str] = field(default_factory=list)
    """What a curator should know of a master that is converted all the same: sentences."""


@dataclass(frozen=True, kw_only=True)
class MasterConverted(HeaderRead):
    """An access master lies in the store. Input of VerifyAccessMaster and PublishImage.

    `levels` are [width, height] pairs from full resolution down; `width` and `height` are those of
    the access master (orientation applied). `samples` are [x, y, red, green, blue]: mean values
    that the conversion saw in squares of the full resolution (`vitrine.ingest.convert.samples`),
    for the verification to compare. `notes` tell of metadata that could not be read, too.
    """

    version: str
    access_master_key: str
    access_master_bytes: int
    tile_width: int
    tile_height: int
    levels: list[list[int]]
    samples: list[list[int]]
    metadata_digest: str


@dataclass(frozen=True, kw_only=True)
class WithdrawImage(_Message):
    """A master was deleted, and what was made of it is to follow after a grace period."""

    master_key: str
    master_version: str
    """The version that was ingested last, and its `master_modified`."""
    master_modified: str
    identifier: str
    deletion: str
    """Version of the delete marker, empty where there is none."""
    grace_seconds: int
    attempt: str = ""
    """Tells a later try of the reconciler from the first."""
    formers: list[str] = field(default_factory=list)
    """Other identifiers that this master had before: a rename may never have come to its end."""

    @property
    def execution(self) -> str:
        """Name of the execution."""
        return withdrawal_name(self.master_key, self.master_version, self.deletion, self.attempt)
