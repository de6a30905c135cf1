"""VerifyAccessMaster: reopen what was stored. MasterConverted -> MasterConverted."""

from vitrine.ingest.convert.verification import verify
from vitrine.ingest.messages import MasterConverted
from vitrine.ingest.services import IngestServices
from vitrine.store.ranged import RangedFile


def verify_access_master(services: IngestServices, request: MasterConverted) -> MasterConverted:
    """Reopen the stored access master. Raises MasterRejected with code conversion-differs."""
    store = services.access_masters
    verify(RangedFile(store, request.access_master_key, request.access_master_bytes), request)
    return request
