"""What updates of collections by their environment work with."""

import os

from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE
from vitrine.bootstrap.publisher import publisher
from vitrine.sources.harvest.guarded_http import GuardedHttp, Patience
from vitrine.sources.updates.scheduled_update import UpdateServices

PATIENCE = Patience(answer_seconds=240, wait_seconds=15)
"""With a server, within the time that a slice leaves: see `lambdas/update_collections`."""


def update_services() -> UpdateServices:
    """Return what the process's environment names.

    Only on one machine, where the emulator tells its Lambdas where that service lives, may a
    schedule allow servers on private networks: on AWS these are the account's own.
    """
    on_this_machine = bool(os.environ.get(DIRECTORY_VARIABLE))
    return UpdateServices(
        publisher=publisher(),
        open_http=lambda private_too: GuardedHttp(
            private_too=private_too and on_this_machine, patience=PATIENCE
        ),
    )
