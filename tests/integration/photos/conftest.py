"""The photo door as in an image task, behind its nginx and nothing else."""

from collections.abc import Iterator

import pytest

from loadtest.rigs.photo_doors.our_door import SignedForm, our_door
from tests.integration.photos.door_client import DoorClient


@pytest.fixture(scope="module")
def door() -> Iterator[DoorClient]:
    """A running door, and the token of a form that it accepts."""
    signed = SignedForm()
    with our_door(signed.keys) as rig:
        yield DoorClient(rig, signed.token)
