"""Each option alone can be switched off, and on again, in every kind of environment."""

import pytest

from tests.infrastructure.deployed_stacks import DeployedStacks
from tests.infrastructure.options import KINDS, OFF, without

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("option", OFF)
@pytest.mark.parametrize("kind", KINDS)
def test_an_option_can_be_switched_off_and_on_again(kind, option, synthesize):
    full = synthesize(KINDS[kind]).folder
    rest = without(KINDS[kind], option)
    if rest == KINDS[kind]:
        pytest.skip(f"{kind} always has {option}")
    off = synthesize(rest).folder
    account = DeployedStacks()
    account.deploy(full)
    left = account.names - account.deploy(off)
    account.deploy(full)
    account.deploy(off)
    for name in left:
        account.delete(name)
    account.deploy(full)
