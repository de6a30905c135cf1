"""What reads the source of a collection, by its file of rules."""

from vitrine.present.iiif_source.manifest_mapper import ManifestMapper
from vitrine.present.mapping.mapping_file import IiifSource, MappingFile
from vitrine.present.mapping.to_objects import Mapper

AnyMapper = Mapper | ManifestMapper
"""Both have `objects`, and the `table` that they read, if it is one."""


def open_mapper(mapping: MappingFile) -> AnyMapper:
    """Return the mapper. Raises MappingUnusable and OSError."""
    is_iiif = isinstance(mapping.source, IiifSource)
    return ManifestMapper(mapping) if is_iiif else Mapper(mapping)
