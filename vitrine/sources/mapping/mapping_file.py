"""What `collection.toml` says: which columns become which parts of an object."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vitrine.errors import VitrineError
from vitrine.sources.mapping.sources import IiifSource, OaiSource
from vitrine.sources.mapping.template import Template
from vitrine.sources.mapping.text_rules import (
    NO_TEMPLATE,
    PAGE_FILES,
    PageRules,
    Statements,
    TextRule,
)

BUCKET = "s3://"
"""Beginning of an address in a bucket; others are paths."""


class MappingUnusable(VitrineError):
    """A file of rules cannot be used; the message says where and why."""


@dataclass(frozen=True, kw_only=True)
class MappingFile:
    """Everything that the file says."""

    folder: Path
    """Folder of the file, to which its paths are relative."""
    identifier: str
    """Identifier of the collection."""
    label: Mapping[str, str]
    summary: Mapping[str, str] = field(default_factory=dict)
    """A few sentences about the collection, by language."""
    thumbnail: str = ""
    """Identifier of the image that represents the collection; empty: that of the first object."""
    access: str = ""
    """Rule of access of the collection, for images whose row says none; empty: it keeps its own."""
    table: Path
    sheet: str = ""
    rows: str = ""
    """Path (JMESPath) to the list of rows in a JSON document."""
    masters: Path
    """Folder of the image files."""
    table_address: str = ""
    """Address of the table if it is in a bucket, s3://bucket/key; `table` is then its copy here."""
    masters_address: str = ""
    """Address of the prefix that the image files are below, s3://bucket/prefix, if they are in a
    bucket."""
    names_masters: bool = False
    """True if the file names the folder of the masters; else it is the file's own."""
    folders: Mapping[str, Path] = field(default_factory=dict)
    """Folders by PAGE_FILES, where the file names them; else they are the file's own."""
    source: OaiSource | IiifSource | None = None
    """Source from which `table` is harvested, if it is."""
    empty: frozenset[str] = frozenset()
    """Cells that mean nothing, in lower case, such as n/a."""
    object_identifier: Template = NO_TEMPLATE
    texts: Mapping[str, TextRule] = field(default_factory=dict)
    """Rules by the names of TEXTS."""
    metadata: tuple[Statements, ...] = ()
    required_statement: Statements | None = None
    page_before_images: bool = False
    """True if objects have pages before their first image is there."""
    page: PageRules | None = None

    @property
    def needs_folder(self) -> bool:
        """True if files of images or texts are in a folder of a machine, or will be."""
        if isinstance(self.source, IiifSource):
            return self.source.fetches_images
        return self.names_masters or any(self.has_files(rule) for rule in PAGE_FILES)

    def has_files(self, rule: str) -> bool:
        """Return whether images have files as a rule of PAGE_FILES says."""
        by_rule = rule in self.texts or bool(self.page and getattr(self.page, rule))
        return by_rule or rule in self.folders

    def columns(self) -> set[str]:
        """Return the columns that any rule names."""
        rules = [*self.texts.values(), *(statement.value for statement in self.metadata)]
        if self.required_statement:
            rules.append(self.required_statement.value)
        named = set(self.object_identifier.columns)
        if self.page:
            rules += [getattr(self.page, name) for name in PAGE_TEXTS]
            named |= set(self.page.of.columns)
        return named | {name for rule in rules for piece in rule for name in piece.template.columns}

    def naming_columns(self) -> set[str]:
        """Return the columns whose values become identifiers or are names of files."""
        rules = [self.texts[name] for name in ("image", *PAGE_FILES) if name in self.texts]
        named = set(self.object_identifier.columns)
        if self.page:
            rules += [getattr(self.page, name) for name in ("image", *PAGE_FILES)]
            named |= set(self.page.of.columns)
        return named | {name for rule in rules for piece in rule for name in piece.template.columns}


TEXTS = (
    *("label", "summary", "image", "alt_text", "width_mm", *PAGE_FILES),
    *("rights", "access", "nav_date", "latitude", "longitude", "place"),
    *("homepage", "ocr"),
)
PAGE_TEXTS = ("image", "label", "alt_text", "width_mm", *PAGE_FILES)
