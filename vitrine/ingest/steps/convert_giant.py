"""ConvertMasterGiant: what the Fargate task runs.

A module of its own, since the Lambdas before and after the task have no libvips.
"""

import json
from dataclasses import asdict
from typing import Any

from vitrine.errors import MasterRejected, SupersededMaster
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.services import IngestServices
from vitrine.ingest.steps.convert_master import convert_master
from vitrine.ingest.steps.giant_conversion import OUTCOME, REQUEST, write_note
from vitrine.store.layout import conversion_key


def convert_giant(services: IngestServices, conversion: str) -> dict[str, Any]:
    """Convert the master of the request `conversion`, store the outcome and return it.

    A rejection is an outcome. Raises what else `convert_master` raises: the task fails, and is
    tried again.
    """
    body, _ = services.records.get(conversion_key(conversion, REQUEST))
    outcome: dict[str, Any]
    try:
        request = IngestMaster.from_json(json.loads(body))
        outcome = {"converted": convert_master(services, request).as_json()}
    except MasterRejected as rejected:
        outcome = {"rejected": asdict(rejected.rejection)}
    except SupersededMaster as superseded:
        outcome = {"superseded": str(superseded)}
    write_note(services, conversion_key(conversion, OUTCOME), outcome)
    return outcome
