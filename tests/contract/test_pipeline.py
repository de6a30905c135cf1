"""What every Pipeline promises."""

from vitrine.ports import Pipeline


def test_an_execution_of_one_name_starts_once(pipeline: Pipeline) -> None:
    assert pipeline.start("a" * 64, {"master_key": "Ä 1.tif"})
    assert not pipeline.start("a" * 64, {"master_key": "other"})
    assert pipeline.start("b" * 64, {"master_key": "Ä 1.tif"})


def test_running_executions_are_counted(pipeline: Pipeline) -> None:
    assert pipeline.running() == 0
    for name in "abc":
        pipeline.start(name * 64, {"master_key": name})
        pipeline.start(name * 64, {"master_key": name})
    assert pipeline.running() == 3
    assert pipeline.is_running("a" * 64)
    assert not pipeline.is_running("d" * 64)
    assert pipeline.running_names() == {name * 64 for name in "abc"}
