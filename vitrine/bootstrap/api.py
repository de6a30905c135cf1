"""What the API works with."""

import os
from functools import cache

from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.adapters.aws.outcome_table import DynamoOutcomeTable
from vitrine.adapters.aws.upload_addresses import S3UploadAddresses
from vitrine.api.services import Services
from vitrine.api.text_proposals import TextProposer
from vitrine.bootstrap.aws_access import environment_access
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE
from vitrine.bootstrap.publisher import wire_publisher
from vitrine.settings.departments import decode_departments
from vitrine.settings.present import ApiSettings


@cache
def api_services() -> Services:
    """Return the services that the process's environment names, for no caller yet."""
    settings = ApiSettings.from_environment(os.environ)
    access = environment_access()
    on_this_machine = bool(os.environ.get(DIRECTORY_VARIABLE))
    return Services(
        publisher=wire_publisher(settings, access, on_this_machine=on_this_machine),
        masters=S3ObjectStore(access.client("s3"), settings.masters_bucket),
        uploads=S3UploadAddresses(access.signing_client(), settings.masters_bucket),
        outcomes=DynamoOutcomeTable(access.client("dynamodb"), settings.outcomes_table),
        most_master_bytes=settings.maximum_master_mebibytes << 20,
        most_photo_bytes=settings.maximum_photo_mebibytes << 20,
        proposer=TextProposer(address) if (address := settings.text_proposals_address) else None,
        departments=decode_departments(settings.departments),
    )
