"""A migration keeps to the pipeline's limits, stops if too much fails, reports every item."""

import json

from stacks.constructs.migration_machine import MAX_PAUSE_SECONDS
from vitrine.migrate.manifest import MAX_LINE_LENGTH
from vitrine.migrate.messages import MASTERS_PER_CHILD
from vitrine.migrate.migrate_batch import BATCH_SECONDS
from vitrine.store.layout import MIGRATIONS

MACHINE = "MigrationMachine"


def each(templates):
    return templates.states(MACHINE)["MigrateEach"]


def step(templates):
    return each(templates)["ItemProcessor"]["States"]["MigrateMaster"]


def test_a_child_outlasts_an_ingest_of_hours(templates):
    config = each(templates)["ItemProcessor"]["ProcessorConfig"]
    assert config == {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"}


def test_no_more_ingests_run_at_once_than_end_within_the_hour_of_a_throttled_step(templates):
    """test_failure_promises.py has what `executions_at_once` keeps to."""
    common = each(templates)["ItemBatcher"]["BatchInput"]
    in_progress = each(templates)["MaxConcurrency"] * common["most_at_once"]
    at_once = templates.environment.executions_at_once
    assert at_once / 2 < in_progress <= at_once


def test_a_batch_fits_into_the_input_of_a_child_and_into_its_lambda(templates):
    batcher = each(templates)["ItemBatcher"]
    assert batcher["MaxItemsPerBatch"] == MASTERS_PER_CHILD
    assert MAX_LINE_LENGTH < batcher["MaxInputBytesPerBatch"] < 256 * 1024 - 1_024
    names = ("begun_at", "tried_at", "tolerated_percent", "at_once")
    paths = {f"{name}.$": f"$.{name}" for name in names}
    assert batcher["BatchInput"].items() > paths.items()
    function = templates.one("AWS::Lambda::Function", "MigrateMaster").properties
    assert function["Timeout"] >= BATCH_SECONDS + 60


def test_the_start_of_a_migration_says_how_much_may_fail(templates):
    assert each(templates)["ToleratedFailurePercentagePath"] == "$.tolerated_percent"


def test_items_are_lines_of_json_and_results_stay_in_the_records(templates):
    reader, writer = each(templates)["ItemReader"], each(templates)["ResultWriter"]
    assert reader["ReaderConfig"] == {"InputType": "JSONL"}
    assert reader["Parameters"]["Key.$"] == "$.items"
    assert writer["Parameters"]["Prefix.$"] == "$.results"
    assert writer["WriterConfig"] == {"OutputType": "JSONL", "Transformation": "NONE"}


def test_a_batch_costs_one_state(templates):
    processor = each(templates)["ItemProcessor"]
    assert list(processor["States"]) == [processor["StartAt"]] == ["MigrateMaster"]
    assert step(templates)["End"] is True


def test_the_step_waits_for_the_longest_ingest(templates):
    (retry,) = [
        item for item in step(templates)["Retry"] if item["ErrorEquals"] == ["IngestUnfinished"]
    ]
    assert retry["MaxDelaySeconds"] == MAX_PAUSE_SECONDS
    on_average = retry["MaxAttempts"] * retry["MaxDelaySeconds"] / 2
    assert on_average >= templates.definition("Machine")["TimeoutSeconds"]


def test_what_cannot_be_published_is_not_tried_again(templates):
    tried = {name for item in step(templates)["Retry"] for name in item["ErrorEquals"]}
    assert "NotMigrated" not in tried
    assert not {"States.ALL", "States.TaskFailed"} & tried


def test_the_order_of_the_steps_exists_once(templates):
    states = json.dumps(templates.definition(MACHINE))
    assert "ConvertMaster" not in states
    machine = templates.one("AWS::StepFunctions::StateMachine", "Machine")
    starts = [
        item.resources
        for item in templates.allowed("MigrateMasterRole")
        if item.actions == ["states:StartExecution"]
    ]
    assert len(starts) == 1
    assert machine.id in json.dumps(starts)


def test_the_machine_touches_no_records_but_those_of_migrations(templates):
    for statement in templates.allowed("MigrationMachineRole"):
        if any(action.startswith("s3:") for action in statement.actions):
            assert all(f"/{MIGRATIONS}*" in json.dumps(place) for place in statement.resources)


def test_the_step_cannot_write_masters_or_identifiers(templates):
    for statement in templates.allowed("MigrateMasterRole"):
        if "Masters" in statement.stored:
            assert not any("Put" in action or "Delete" in action for action in statement.actions)
        if "Identifiers" in statement.stored:
            assert statement.actions == ["dynamodb:GetItem"]
