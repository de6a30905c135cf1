"""What reads the source of a collection, by its file of rules."""

from vitrine.present.iiif_source.manifest_mapper import ManifestMapper
from vitrine.present.mapping.mapping_file import MappingFile
from vitrine.present.mapping.masters_folder import Masters, folder_masters
from vitrine.present.mapping.sources import IiifSource
from vitrine.present.mapping.to_objects import Mapper

AnyMapper = Mapper | ManifestMapper
"""Both have `objects`, and the `table` that they read, if it is one."""


def open_mapper(mapping: MappingFile, masters: Masters | None = None) -> AnyMapper:
    """Return the mapper of a table that is here; without `masters` they are in their folder.

    Raises MappingUnusable and OSError.
    """
    if isinstance(mapping.source, IiifSource):
        return ManifestMapper(mapping)
    return Mapper(mapping, masters or folder_masters(mapping.masters))
