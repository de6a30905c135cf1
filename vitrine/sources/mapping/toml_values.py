"""Values of `collection.toml`, each read with its place, which an error names."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vitrine.errors import IdentifierRefused
from vitrine.sources.mapping.mapping_file import MappingUnusable
from vitrine.sources.mapping.template import Template
from vitrine.sources.mapping.text_rules import LANGUAGE, Piece, TextRule


@dataclass(frozen=True)
class TomlValues:
    """Reads values of one file. All methods raise MappingUnusable for what is no such value.

    A place is named as `section.rule`.
    """

    path: Path
    language: str = LANGUAGE
    """Language of texts that name none."""

    def read_rule(self, place: str, value: Any) -> TextRule:
        """Read "{column}", {value = "{column}", split = ";"} or {en = "{title}", nl = …}."""
        if isinstance(value, str):
            return (Piece(self.read_template(place, value), self.language),)
        if not isinstance(value, dict) or not value:
            raise self.error_at(place, 'is a text such as "{title}", or a table of them')
        if "value" in value:
            for key in value.keys() - {"value", "split", "language"}:
                raise self.error_at(f"{place}.{key}", "there are value, split and language")
            language = self.read_text(f"{place}.language", value.get("language", self.language))
            split = self.read_text(f"{place}.split", value.get("split", ""))
            return (Piece(self.read_template(place, value["value"]), language, split),)
        return tuple(
            Piece(self.read_template(f"{place}.{language}", text), language)
            for language, text in value.items()
        )

    def read_label(self, place: str, value: Any) -> dict[str, str]:
        """Read a text, or one for each language."""
        if isinstance(value, dict):
            return {key: self.read_text(f"{place}.{key}", text) for key, text in value.items()}
        text = self.read_text(place, value)
        if not text.strip():
            raise self.error_at(place, "a text is missing")
        return {self.language: text}

    def read_template(self, place: str, value: Any) -> Template:
        """Read a text with columns in braces."""
        text = self.read_text(place, value)
        if not text:
            raise self.error_at(place, "a text is missing")
        try:
            return Template.parse(text)
        except ValueError as error:
            raise self.error_at(place, str(error)) from None

    def parse_text(self, section: dict[str, Any], place: str, parse: Callable[[str], str]) -> str:
        """Read a text of a section that has a form of its own; `parse` raises IdentifierRefused."""
        try:
            return parse(self.require_text(section, place))
        except IdentifierRefused as error:
            raise self.error_at(place, str(error).rstrip(".")) from None

    def require_text(self, section: dict[str, Any], place: str) -> str:
        """Read a text that a section must have."""
        text = self.read_text(place, section.get(place.partition(".")[2], ""))
        if not text:
            raise self.error_at(place, "is missing")
        return text

    def read_text(self, place: str, value: Any) -> str:
        """Return a value that is a text."""
        if not isinstance(value, str):
            missing = value is None
            raise self.error_at(place, "is missing" if missing else "is not a text in quotes")
        return value

    def read_choice(self, place: str, value: Any) -> bool:
        """Return a value that is true or false."""
        if not isinstance(value, bool):
            raise self.error_at(place, "is true or false, without quotes")
        return value

    def error_at(self, place: str, sentence: str) -> MappingUnusable:
        """Return an error that names the file and a place in it."""
        return MappingUnusable(f"{self.path}, {place}: {sentence}.")
