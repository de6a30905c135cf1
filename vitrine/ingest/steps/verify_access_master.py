"""VerifyAccessMaster: reopen what was stored. MasterConverted -> MasterConverted."""

import logging

from vitrine.errors import MasterRejected
from vitrine.ingest.convert.verification import verify
from vitrine.ingest.messages import MasterConverted
from vitrine.ingest.services import IngestServices
from vitrine.store.ranged import RangedFile

_TRIES = 3
"""A store may send other bytes than it holds: what it sends three times is what it holds."""

logger = logging.getLogger(__name__)


def verify_access_master(services: IngestServices, request: MasterConverted) -> MasterConverted:
    """Reopen the stored access master. Raises MasterRejected with code conversion-differs."""
    store = services.access_masters
    for tries_left in reversed(range(_TRIES)):
        file = RangedFile(store, request.access_master_key, request.access_master_bytes)
        try:
            verify(file, request)
            break
        except MasterRejected as error:
            if not tries_left:
                raise
            logger.warning("%s is read again: %s", request.access_master_key, error)
    return request
