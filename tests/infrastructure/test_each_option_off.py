"""Each option alone can be switched off, and on again, in every kind of environment."""

import pytest

from tests.infrastructure.deployed_stacks import deploy_all
from tests.infrastructure.options import KINDS, OFF, without
from vitrine.account.stack_order import DeployedStacks

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
    deploy_all(account, full)
    left = account.places - deploy_all(account, off)
    deploy_all(account, full)
    deploy_all(account, off)
    for place in left:
        account.delete(place)
    deploy_all(account, full)
