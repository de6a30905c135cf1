"""The reading of `collection.toml`, section by section."""

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from vitrine.access.rules import parse_rule
from vitrine.identify.identifier import parse_identifier
from vitrine.sources.mapping.mapping_file import (
    BUCKET,
    PAGE_TEXTS,
    TEXTS,
    MappingFile,
    MappingUnusable,
)
from vitrine.sources.mapping.sources import IiifSource, OaiSource
from vitrine.sources.mapping.text_rules import (
    LANGUAGE,
    NO_TEMPLATE,
    PAGE_FILES,
    PageRules,
    Statements,
    TextRule,
    read_folders,
)
from vitrine.sources.mapping.toml_values import TomlValues

OAI, IIIF = "oai-pmh", "iiif"
HARVESTED = {"kind", "address", "prefix", "set", "images"}
_IMAGES = {"fetch": True, "reference": False}
_SECTIONS = {
    "collection": {"identifier", "label", "summary", "thumbnail", "language", "access"},
    "source": {"table", "sheet", "rows", "masters", *PAGE_FILES.values(), "empty", *HARVESTED},
    "object": {"identifier", "required_statement", "page_before_images", *TEXTS},
    "page": {"of", *PAGE_TEXTS},
}


def read_mapping(path: Path) -> MappingFile:
    """Read the rules. Raises MappingUnusable, OSError."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise MappingUnusable(f"{path} is not TOML: {error}") from None
    reader = _MappingReader(path, data)
    return reader.mapping()


class _MappingReader:
    def __init__(self, path: Path, data: dict[str, Any]) -> None:
        self._path = path
        self._data = data
        self._values = TomlValues(path)

    def mapping(self) -> MappingFile:
        for name in self._data.keys() - {*_SECTIONS, "metadata", "redirects"}:
            sentence = f"there is no such section; there are {', '.join(_SECTIONS)}"
            raise self._values.error_at(name, sentence)
        collection, source = self._section("collection"), self._section("source")
        language = self._values.read_text(
            "collection.language", collection.get("language", LANGUAGE)
        )
        values = self._values = TomlValues(self._path, language)
        page = self._section("page") if "page" in self._data else None
        harvested = self._source(source)
        table = values.require_text(source, "source.table")
        masters = values.read_text("source.masters", source.get("masters", "."))
        in_bucket = {name: name.startswith(BUCKET) for name in (table, masters)}
        if harvested:
            self._check_harvested(harvested, is_in_bucket=any(in_bucket.values()))
        described = isinstance(harvested, IiifSource)
        items = {} if described else self._section("object")
        return MappingFile(
            folder=self._path.parent,
            identifier=values.parse_text(collection, "collection.identifier", parse_identifier),
            label=values.read_label("collection.label", collection.get("label", "")),
            summary=values.read_label("collection.summary", collection.get("summary", {})),
            thumbnail=self._optional(collection, "thumbnail", parse_identifier),
            access=self._optional(collection, "access", parse_rule),
            table=self._path.parent / (PurePosixPath(table).name if in_bucket[table] else table),
            table_address=table if in_bucket[table] else "",
            sheet=values.read_text("source.sheet", source.get("sheet", "")),
            rows=values.read_text("source.rows", source.get("rows", "")),
            masters=self._path.parent / ("." if in_bucket[masters] else masters),
            masters_address=masters if in_bucket[masters] else "",
            names_masters="masters" in source,
            folders=read_folders(source, self._path.parent, values.read_text),
            source=harvested,
            empty=frozenset(str(one).strip().lower() for one in source.get("empty", ())),
            object_identifier=(
                NO_TEMPLATE
                if described
                else values.read_template("object.identifier", items.get("identifier"))
            ),
            texts=self._texts(items),
            metadata=tuple(self._metadata()),
            required_statement=self._required(items.get("required_statement")),
            page_before_images=self._values.read_choice(
                "object.page_before_images", items.get("page_before_images", False)
            ),
            page=self._page(page) if page is not None else None,
        )

    def _section(self, name: str) -> dict[str, Any]:
        values = self._values
        section = self._data.get(name)
        if not isinstance(section, dict):
            raise values.error_at(name, f"the section [{name}] is missing")
        for key in section.keys() - _SECTIONS[name]:
            known = ", ".join(sorted(_SECTIONS[name]))
            raise values.error_at(f"{name}.{key}", f"there is no such rule; there are {known}")
        return section

    def _texts(self, items: dict[str, Any]) -> dict[str, TextRule]:
        return {
            name: self._values.read_rule(f"object.{name}", items[name])
            for name in TEXTS
            if name in items
        }

    def _optional(self, collection: dict[str, Any], rule: str, parse: Callable[[str], str]) -> str:
        """Return what the collection says by a rule; "" if it says nothing."""
        if rule not in collection:
            return ""
        return self._values.parse_text(collection, f"collection.{rule}", parse)

    def _source(self, source: dict[str, Any]) -> OaiSource | IiifSource | None:
        """Return what the table is harvested from, None if it is simply there."""
        values = self._values
        if "kind" not in source:
            for name in HARVESTED & source.keys():
                raise values.error_at(f"source.{name}", f"needs source.kind: {OAI!r} or {IIIF!r}")
            return None
        kind = values.read_text("source.kind", source["kind"])
        address = values.require_text(source, "source.address")
        if not address.startswith(("https://", "http://")):
            raise values.error_at("source.address", "begins with https:// or http://")
        match kind:
            case "oai-pmh":
                if "?" in address:
                    raise values.error_at(
                        "source.address", "is that of the repository, without ?verb=…"
                    )
                prefix = values.read_text("source.prefix", source.get("prefix", "oai_dc"))
                set_name = values.read_text("source.set", source.get("set", ""))
                return OaiSource(address=address, prefix=prefix, set_name=set_name)
            case "iiif":
                images = values.read_text("source.images", source.get("images", "fetch"))
                if images not in _IMAGES:
                    raise values.error_at("source.images", f"is one of {', '.join(_IMAGES)}")
                return IiifSource(address=address, fetches_images=_IMAGES[images])
        raise values.error_at("source.kind", f"{kind!r} is neither {OAI!r} nor {IIIF!r}")

    def _check_harvested(self, source: OaiSource | IiifSource, *, is_in_bucket: bool) -> None:
        """Raise MappingUnusable for what no harvest goes with."""
        error_at = self._values.error_at
        if is_in_bucket:
            raise error_at("source", "what is harvested is kept in folders, not in a bucket")
        if isinstance(source, IiifSource):
            for name in self._data.keys() & {"object", "page", "metadata"}:
                raise error_at(name, "manifests say that themselves: leave the section out")

    def _page(self, section: dict[str, Any]) -> PageRules:
        values = self._values
        rules = {
            name: values.read_rule(f"page.{name}", section[name])
            for name in PAGE_TEXTS
            if name in section
        }
        return PageRules(of=values.read_template("page.of", section.get("of")), **rules)

    def _metadata(self) -> Iterator[Statements]:
        values = self._values
        metadata = self._data.get("metadata", {})
        if not isinstance(metadata, dict):
            raise values.error_at(
                "metadata", 'has a line such as "Artist" = "{maker}" for each label'
            )
        for label, value in metadata.items():
            place = f'metadata."{label}"'
            labels = {values.language: label}
            if isinstance(value, dict) and "label" in value:
                labels = values.read_label(f"{place}.label", value["label"])
                value = {key: inner for key, inner in value.items() if key != "label"}
            facet = False
            if isinstance(value, dict) and "facet" in value:
                facet = values.read_choice(f"{place}.facet", value["facet"])
                value = {key: inner for key, inner in value.items() if key != "facet"}
            yield Statements(label=labels, value=values.read_rule(place, value), facet=facet)

    def _required(self, value: Any) -> Statements | None:
        values = self._values
        if value is None:
            return None
        if not isinstance(value, dict) or value.keys() != {"label", "value"}:
            raise values.error_at("object.required_statement", "has a label and a value")
        return Statements(
            label=values.read_label("object.required_statement.label", value["label"]),
            value=values.read_rule("object.required_statement.value", value["value"]),
        )
