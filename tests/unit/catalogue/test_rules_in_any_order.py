"""Whatever happens in whatever order: what a collection closed is closed, unless an image's own
rule says otherwise."""

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.unit.catalogue.exported_museum import ExportedMuseum
from tests.unit.catalogue.rule_steps import STEPS
from tests.unit.catalogue.rules_museum import Museum
from vitrine.errors import IdentifierRefused, ObjectRefused

OFTEN = ("put_object", "put_object", "put_collection", "set_rule", "begin_table", "finish_table")
OFTEN += ("rename", "export", "import_")
"""What has to come together to show anything."""
steps = st.sampled_from((*STEPS, *OFTEN)).flatmap(
    lambda name: st.tuples(st.just(name), st.tuples(*STEPS[name]))
)


# Without shrinking, which takes minutes.
@settings(max_examples=300, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(st.lists(steps, min_size=8, max_size=25))
def test_what_a_collection_closed_is_closed(
    changes: list[tuple[str, tuple[object, ...]]],
) -> None:
    museum = ExportedMuseum()
    for number, (name, arguments) in enumerate(changes):
        try:
            getattr(museum, name)(*arguments)
        except (ObjectRefused, IdentifierRefused):
            continue
        if number % 3 == 2:
            check(museum)
    museum.deliver_some(0, everything=True)
    check(museum)


def check(museum: Museum) -> None:
    for image in museum.closed_by_collections() - museum.own.keys():
        assert museum.access(image) == "closed", image
    for image, rule in museum.own.items():
        assert museum.access(image) == rule, image
