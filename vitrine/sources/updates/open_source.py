"""What the table of a collection is harvested from, by its file of rules."""

from vitrine.sources.harvest.guarded_http import GuardedHttp
from vitrine.sources.harvest.kept_folder import HarvestSource
from vitrine.sources.harvest.oai_pmh import Repository
from vitrine.sources.harvest.record_folder import RecordFolder
from vitrine.sources.iiif.manifest_folder import ManifestFolder
from vitrine.sources.mapping.mapping_file import MappingFile, MappingUnusable
from vitrine.sources.mapping.sources import IiifSource, OaiSource
from vitrine.sources.mapping.table import TABLES


def open_source(mapping: MappingFile, http: GuardedHttp) -> HarvestSource:
    """Return the source. Raises MappingUnusable for a table that is simply there."""
    source = mapping.source
    if source and mapping.table.suffix.lower() in TABLES:
        raise MappingUnusable(f"{mapping.table} has to be a folder where records are harvested")
    match source:
        case OaiSource():
            repository = Repository(source.address, http.get)
            return RecordFolder(mapping.table, repository, source.prefix, source.set_name)
        case IiifSource():
            masters = mapping.masters if source.fetches_images else None
            return ManifestFolder(mapping.table, source.address, http, masters)
        case None:
            raise MappingUnusable(
                "there is nothing to harvest: say kind and address in the section [source], or "
                "check and publish the table as it is"
            )
