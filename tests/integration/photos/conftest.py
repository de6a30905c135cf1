"""The photo door as in an image task, behind its nginx and nothing else."""

from collections.abc import Callable, Iterator

import pytest

from rigs.photo_door import SignedForm, photo_door_rig
from tests.integration.photos.door_client import DoorClient


@pytest.fixture(scope="session")
def signed() -> SignedForm:
    """Keys, and the token of a form that allows whatever one likes."""
    return SignedForm()


@pytest.fixture(scope="module")
def door(signed: SignedForm) -> Iterator[DoorClient]:
    """A running door, and a token that it accepts."""
    with photo_door_rig(signed.keys) as rig:
        yield DoorClient(rig, signed.token)


@pytest.fixture
def sign(signed: SignedForm) -> Callable[..., str]:
    """Sign a form with other limits."""
    return signed.sign
