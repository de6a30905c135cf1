"""What the table of a collection is harvested from, by its file of rules."""

from vitrine.present.harvest.guarded_http import GuardedHttp
from vitrine.present.harvest.kept_folder import Source
from vitrine.present.harvest.oai_pmh import Repository
from vitrine.present.harvest.record_folder import RecordFolder
from vitrine.present.iiif_source.manifest_folder import ManifestFolder
from vitrine.present.mapping.mapping_file import MappingFile, MappingUnusable
from vitrine.present.mapping.sources import IiifSource, OaiSource
from vitrine.present.mapping.table import TABLES


def open_source(mapping: MappingFile, http: GuardedHttp) -> Source:
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
