"""The templates have the states, steps and converters that estimates of an ingest count."""

from vitrine.costs.ingest_work import CONVERTER, STATES, STEPS


def test_an_execution_has_as_many_states_as_estimates_count(templates):
    states, name, entered = templates.states(), templates.definition()["StartAt"], 1
    while not states[name].get("End"):
        name = states[name]["Next"]
        entered += 1
    assert (name, entered) == ("PublishImage", STATES)


def test_the_steps_are_as_large_as_they_are_deployed(templates):
    memory = {
        item.id.rstrip("0123456789ABCDEF"): item.properties["MemorySize"]
        for item in templates.of("AWS::Lambda::Function")
    }
    for step in STEPS[:4]:
        name = "ConvertMasterSmall" if step is CONVERTER else step.name
        assert memory[name] == step.mebibytes, name
