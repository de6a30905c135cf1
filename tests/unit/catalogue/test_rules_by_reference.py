"""An attack on rules of access: whatever is commanded, dies, or is announced late, twice and in any
order, no image is open that a rule closes, and none closed without a reason, at the edge neither.

`RULE_SEQUENCES` is the number of random sequences of commands.
"""

import os
import random
from functools import partial

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.unit.catalogue.rule_steps import STEPS, collections, members, objects, shown
from tests.unit.catalogue.rule_steps import rules as said
from tests.unit.catalogue.rules_world import run_world

SEQUENCES = int(os.environ.get("RULE_SEQUENCES", "200"))
LEFT_OUT = ("deliver_some", "crash", "interrupt_redirect", "withdraw_closed")
"""Commands that other tests have, or that assert what only holds by itself."""
OFTEN = ("put_object", "put_collection", "put_collection", "set_rule", "set_rule", "rename")
COMMANDS = [name for name in STEPS if name not in LEFT_OUT]
steps = st.sampled_from((*COMMANDS, *OFTEN)).flatmap(
    lambda name: st.tuples(st.just(name), st.tuples(*STEPS[name]))
)
crashes = st.tuples(
    st.just("crash_anywhere"),
    st.tuples(
        st.one_of(
            st.tuples(st.just("put_collection"), st.tuples(collections, members, said)),
            st.tuples(st.just("set_rule"), st.tuples(collections, said)),
            st.tuples(st.just("put_object"), st.tuples(objects, shown)),
            st.tuples(st.just("withdraw"), st.tuples(st.one_of(objects, collections))),
            st.tuples(st.just("rename"), st.tuples(collections, collections)),
        ),
        st.integers(0, 4),
        st.integers(0, 9),
    ),
)


@settings(
    max_examples=SEQUENCES,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate,),
)
@given(
    st.lists(st.one_of(steps, steps, steps, crashes), min_size=8, max_size=25),
    st.integers(0, 999),
)
def test_no_image_is_open_that_a_rule_closes(
    commands: list[tuple[str, tuple[object, ...]]], seed: int
) -> None:
    chance = random.Random(seed)
    with run_world() as world:
        for name, arguments in commands:
            if name == "crash_anywhere":
                (what, values), port, writes = arguments  # type: ignore[misc]
                step = partial(getattr(world, what), *values)  # type: ignore[has-type]
                arguments = (step, port, writes)  # type: ignore[has-type]
            world.do(name, arguments)
            world.check()
            world.view()
            world.invalidate(chance)
        world.invalidate(chance, everything=True)
        world.check_edge()
