"""What reads the source of a collection, by its file of rules."""

from vitrine.sources.iiif.manifest_mapper import ManifestMapper
from vitrine.sources.mapping.mapping_file import MappingFile
from vitrine.sources.mapping.masters_folder import MasterFiles, folder_masters
from vitrine.sources.mapping.sources import IiifSource
from vitrine.sources.mapping.to_objects import Mapper

AnyMapper = Mapper | ManifestMapper
"""Both have `objects`, and the `table` that they read, if it is one."""


def open_mapper(mapping: MappingFile, masters: MasterFiles | None = None) -> AnyMapper:
    """Return the mapper of a table that is here; without `masters` they are in their folder.

    Raises MappingUnusable and OSError.
    """
    if isinstance(mapping.source, IiifSource):
        return ManifestMapper(mapping)
    return Mapper(mapping, masters or folder_masters(mapping.masters))
