"""`collection.toml`: which columns become which parts of an object."""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from vitrine.access.rules import parse_rule
from vitrine.errors import IdentifierRefused, VitrineError
from vitrine.identify.identifier import parse_identifier
from vitrine.present.mapping.sources import IiifSource, OaiSource
from vitrine.present.mapping.template import Template
from vitrine.present.mapping.text_rules import (
    LANGUAGE,
    NO_TEMPLATE,
    PAGE_FILES,
    PageRules,
    Piece,
    Statements,
    TextRule,
    read_folders,
)

BUCKET = "s3://"
"""How an address in a bucket begins; others are paths."""


class MappingUnusable(VitrineError):
    """A file of rules cannot be used; the message says where and why."""


@dataclass(frozen=True, kw_only=True)
class MappingFile:
    """Everything that the file says."""

    folder: Path
    """Where it is; its paths are relative to this."""
    identifier: str
    """Of the collection."""
    label: Mapping[str, str]
    access: str = ""
    """Rule of access of the collection, for images whose row says none; empty: it keeps its own."""
    table: Path
    sheet: str = ""
    rows: str = ""
    """Path (JMESPath) to the list of rows in a JSON document."""
    masters: Path
    """Folder of the image files."""
    table_address: str = ""
    """Where the table is in a bucket, s3://bucket/key; `table` is then its copy here."""
    masters_address: str = ""
    """Of the prefix that the image files are below, s3://bucket/prefix, if they are in one."""
    names_masters: bool = False
    """Whether the file says where that is; else it is where the file is."""
    folders: Mapping[str, Path] = field(default_factory=dict)
    """Of files by PAGE_FILES, where the file says so; others are where it is itself."""
    source: OaiSource | IiifSource | None = None
    """What `table` is harvested from, if it is."""
    empty: frozenset[str] = frozenset()
    """Cells that mean nothing, in lower case, such as n/a."""
    object_identifier: Template = NO_TEMPLATE
    texts: Mapping[str, TextRule] = field(default_factory=dict)
    """By the names of TEXTS."""
    metadata: tuple[Statements, ...] = ()
    required_statement: Statements | None = None
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


TEXTS = (
    *("label", "summary", "image", "alt_text", "width_mm", *PAGE_FILES),
    *("rights", "access", "nav_date", "homepage", "ocr"),
)
PAGE_TEXTS = ("image", "label", "alt_text", "width_mm", *PAGE_FILES)
OAI, IIIF = "oai-pmh", "iiif"
HARVESTED = {"kind", "address", "prefix", "set", "images"}
_IMAGES = {"fetch": True, "reference": False}
_SECTIONS = {
    "collection": {"identifier", "label", "language", "access"},
    "source": {"table", "sheet", "rows", "masters", *PAGE_FILES.values(), "empty", *HARVESTED},
    "object": {"identifier", "required_statement", *TEXTS},
    "page": {"of", *PAGE_TEXTS},
}


def read_mapping(path: Path) -> MappingFile:
    """Read the rules. Raises MappingUnusable, OSError."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise MappingUnusable(f"{path} is not TOML: {error}") from None
    reader = _Reader(path, data)
    return reader.mapping()


class _Reader:
    def __init__(self, path: Path, data: dict[str, Any]) -> None:
        self._path = path
        self._data = data
        self._language = ""

    def mapping(self) -> MappingFile:
        for name in self._data.keys() - {*_SECTIONS, "metadata", "redirects"}:
            raise self._error(name, f"there is no such section; there are {', '.join(_SECTIONS)}")
        collection, source = self._section("collection"), self._section("source")
        self._language = self._text("collection.language", collection.get("language", LANGUAGE))
        page = self._section("page") if "page" in self._data else None
        harvested = self._source(source)
        table = self._needed(source, "source.table")
        masters = self._text("source.masters", source.get("masters", "."))
        in_bucket = {name: name.startswith(BUCKET) for name in (table, masters)}
        if harvested and any(in_bucket.values()):
            raise self._error("source", "what is harvested is kept in folders, not in a bucket")
        if isinstance(harvested, IiifSource):
            for name in self._data.keys() & {"object", "page", "metadata"}:
                raise self._error(name, "manifests say that themselves: leave the section out")
        described = isinstance(harvested, IiifSource)
        items = {} if described else self._section("object")
        return MappingFile(
            folder=self._path.parent,
            identifier=self._parsed(collection, "collection.identifier", parse_identifier),
            label=self._label("collection.label", collection.get("label", "")),
            access=(
                self._parsed(collection, "collection.access", parse_rule)
                if "access" in collection
                else ""
            ),
            table=self._path.parent / (PurePosixPath(table).name if in_bucket[table] else table),
            table_address=table if in_bucket[table] else "",
            sheet=self._text("source.sheet", source.get("sheet", "")),
            rows=self._text("source.rows", source.get("rows", "")),
            masters=self._path.parent / ("." if in_bucket[masters] else masters),
            masters_address=masters if in_bucket[masters] else "",
            names_masters="masters" in source,
            folders=read_folders(source, self._path.parent, self._text),
            source=harvested,
            empty=frozenset(str(one).strip().lower() for one in source.get("empty", ())),
            object_identifier=(
                NO_TEMPLATE
                if described
                else self._template("object.identifier", items.get("identifier"))
            ),
            texts={
                name: self._rule(f"object.{name}", items[name]) for name in TEXTS if name in items
            },
            metadata=tuple(self._metadata()),
            required_statement=self._required(items.get("required_statement")),
            page=self._page(page) if page is not None else None,
        )

    def _section(self, name: str) -> dict[str, Any]:
        section = self._data.get(name)
        if not isinstance(section, dict):
            raise self._error(name, f"the section [{name}] is missing")
        for key in section.keys() - _SECTIONS[name]:
            known = ", ".join(sorted(_SECTIONS[name]))
            raise self._error(f"{name}.{key}", f"there is no such rule; there are {known}")
        return section

    def _source(self, source: dict[str, Any]) -> OaiSource | IiifSource | None:
        """Return what the table is harvested from, None if it is simply there."""
        if "kind" not in source:
            for name in HARVESTED & source.keys():
                raise self._error(f"source.{name}", f"needs source.kind: {OAI!r} or {IIIF!r}")
            return None
        kind = self._text("source.kind", source["kind"])
        address = self._needed(source, "source.address")
        if not address.startswith(("https://", "http://")):
            raise self._error("source.address", "begins with https:// or http://")
        match kind:
            case "oai-pmh":
                if "?" in address:
                    raise self._error(
                        "source.address", "is that of the repository, without ?verb=…"
                    )
                prefix = self._text("source.prefix", source.get("prefix", "oai_dc"))
                set_name = self._text("source.set", source.get("set", ""))
                return OaiSource(address=address, prefix=prefix, set_name=set_name)
            case "iiif":
                images = self._text("source.images", source.get("images", "fetch"))
                if images not in _IMAGES:
                    raise self._error("source.images", f"is one of {', '.join(_IMAGES)}")
                return IiifSource(address=address, fetches_images=_IMAGES[images])
        raise self._error("source.kind", f"{kind!r} is neither {OAI!r} nor {IIIF!r}")

    def _page(self, section: dict[str, Any]) -> PageRules:
        rules = {
            name: self._rule(f"page.{name}", section[name])
            for name in PAGE_TEXTS
            if name in section
        }
        return PageRules(of=self._template("page.of", section.get("of")), **rules)

    def _metadata(self) -> Iterator[Statements]:
        metadata = self._data.get("metadata", {})
        if not isinstance(metadata, dict):
            raise self._error("metadata", 'has a line such as "Artist" = "{maker}" for each label')
        for label, value in metadata.items():
            place = f'metadata."{label}"'
            labels = {self._language: label}
            if isinstance(value, dict) and "label" in value:
                labels = self._label(f"{place}.label", value["label"])
                value = {key: inner for key, inner in value.items() if key != "label"}
            facet = isinstance(value, dict) and value.get("facet", False)
            if isinstance(value, dict) and "facet" in value:
                if not isinstance(facet, bool):
                    raise self._error(f"{place}.facet", "is true or false, without quotes")
                value = {key: inner for key, inner in value.items() if key != "facet"}
            yield Statements(label=labels, value=self._rule(place, value), facet=facet)

    def _required(self, value: Any) -> Statements | None:
        if value is None:
            return None
        if not isinstance(value, dict) or value.keys() != {"label", "value"}:
            raise self._error("object.required_statement", "has a label and a value")
        return Statements(
            label=self._label("object.required_statement.label", value["label"]),
            value=self._rule("object.required_statement.value", value["value"]),
        )

    def _rule(self, place: str, value: Any) -> TextRule:
        """Read "{column}", {value = "{column}", split = ";"} or {en = "{title}", nl = …}."""
        if isinstance(value, str):
            return (Piece(self._template(place, value), self._language),)
        if not isinstance(value, dict) or not value:
            raise self._error(place, 'is a text such as "{title}", or a table of them')
        if "value" in value:
            for key in value.keys() - {"value", "split", "language"}:
                raise self._error(f"{place}.{key}", "there are value, split and language")
            language = self._text(f"{place}.language", value.get("language", self._language))
            split = self._text(f"{place}.split", value.get("split", ""))
            return (Piece(self._template(place, value["value"]), language, split),)
        return tuple(
            Piece(self._template(f"{place}.{language}", text), language)
            for language, text in value.items()
        )

    def _label(self, place: str, value: Any) -> dict[str, str]:
        if isinstance(value, dict):
            return {key: self._text(f"{place}.{key}", text) for key, text in value.items()}
        text = self._text(place, value)
        if not text.strip():
            raise self._error(place, "a text is missing")
        return {self._language: text}

    def _template(self, place: str, value: Any) -> Template:
        text = self._text(place, value)
        if not text:
            raise self._error(place, "a text is missing")
        try:
            return Template.parse(text)
        except ValueError as error:
            raise self._error(place, str(error)) from None

    def _parsed(self, section: dict[str, Any], place: str, parse: Callable[[str], str]) -> str:
        try:
            return parse(self._needed(section, place))
        except IdentifierRefused as error:
            raise self._error(place, str(error).rstrip(".")) from None

    def _needed(self, section: dict[str, Any], place: str) -> str:
        text = self._text(place, section.get(place.partition(".")[2], ""))
        if not text:
            raise self._error(place, "is missing")
        return text

    def _text(self, place: str, value: Any) -> str:
        if not isinstance(value, str):
            missing = value is None
            raise self._error(place, "is missing" if missing else "is not a text in quotes")
        return value

    def _error(self, place: str, sentence: str) -> MappingUnusable:
        return MappingUnusable(f"{self._path}, {place}: {sentence}.")
