"""The rule of access of an object's images, as its row says it."""

from vitrine.access.rules import parse_rule
from vitrine.sources.mapping.mapped_text import map_values
from vitrine.sources.mapping.mapping_file import MappingFile
from vitrine.sources.mapping.template import Row


def access_rule(mapping: MappingFile, row: Row) -> str:
    """Return the rule of access of a row; "" if it has none, so that its collection's holds.

    Raises IdentifierRefused.
    """
    texts = map_values(mapping.texts.get("access", ()), row)
    return parse_rule(texts[0]) if texts and texts[0] else ""
