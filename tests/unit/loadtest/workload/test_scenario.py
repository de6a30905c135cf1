"""Scenario files: what they say, and the messages for their mistakes."""

from itertools import islice
from pathlib import Path

import pytest

from loadtest.errors import InvalidScenario
from loadtest.workload.mix import Mix
from loadtest.workload.models.report_matrix import ReportMatrix
from loadtest.workload.models.viewer_session import ViewerSession
from loadtest.workload.scenario import parse_scenario, read_scenario
from tests.unit.loadtest.workload.workload_images import ALL_CLASSES

ROOT = Path(__file__).resolve().parents[4]
SCENARIOS = sorted((ROOT / "scenarios").glob("*.toml"))
MATRIX = '[model]\nkind = "report-matrix"\n'
LIST = '[model]\nkind = "url-list"\n'
MIX = '[model]\nkind = "mix"\n[[model.part]]\nweight = 1\nkind = "viewer-session"\n'


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.name)
def test_every_scenario_of_ours_can_be_run(path: Path) -> None:
    scenario = read_scenario(path)
    assert scenario.title
    requests = scenario.workload(ALL_CLASSES).requests(0, scenario.most_users)
    assert len(list(islice(requests, 100))) == 100


def test_values_are_taken_as_they_stand() -> None:
    text = 'seed = 9\nusers = [3, 30]\nseconds = 5\n[model]\nkind = "viewer-session"\npan = 1\n'
    scenario = parse_scenario(text + "viewport = [800, 600]\n", Path())
    assert (scenario.seed, scenario.users, scenario.seconds) == (9, (3, 30), 5.0)
    assert scenario.options == ViewerSession(viewport=(800, 600), pan=1.0)


def test_a_mix_has_its_parts() -> None:
    part = '[[model.part]]\nweight = 2.5\nkind = "report-matrix"\nweights = "text"\n'
    scenario = parse_scenario(MIX + part, Path())
    assert isinstance(scenario.options, Mix)
    assert scenario.options.parts[1].weight == 2.5
    assert scenario.options.parts[1].options == ReportMatrix(weights="text")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"no table \[model\]"),
        ("seed = ", "is no TOML: Invalid value"),
        ("user = 3\n" + MATRIX, r"the top level has no key 'user'; it has .*\(did you mean users"),
        ('[model]\nkind = "matrix"\n', r"kind = 'matrix' is no model; there are report-matrix, .*"),
        ("[model]\nweights = 1\n", r"\[model\]: kind = None is no model"),
        (MATRIX + "weightz = 1", r"\[model\] \(report-matrix\) has no key 'weightz'.*mean weights"),
        (MATRIX + 'weights = "chart"', r"weights must be one of 'tables', 'text', not 'chart'"),
        (MATRIX + "think_seconds = 3", r"think_seconds must be a list of 2, each a number, not 3"),
        (MATRIX + "think_seconds = [1]", r"must be a list of 2, each a number, not \[1\]"),
        (
            MATRIX + 'classes = ["10"]',
            r"\(report-matrix\): classes: '10' is not a class; there are 0-10",
        ),
        ('seed = "x"\n' + MATRIX, "the top level: seed must be a whole number, not 'x'"),
        ("seed = true\n" + MATRIX, "seed must be a whole number, not True"),
        ("users = []\n" + MATRIX, "must be above 0"),
        ("users = 3\n" + MATRIX, "users must be a list, each a whole number, not 3"),
        ("seconds = 0\n" + MATRIX, "must be above 0"),
        ('users = [1, 2]\n[model]\nkind = "cache-percent"', r"users = \[1, 2\]: this model ends"),
        ('[model]\nkind = "cache-percent"\ncache_percent = 101', "cache_percent is 0 to 100"),
        (
            '[model]\nkind = "cache-percent"\nonly_warm = 1',
            "only_warm must be true or false, not 1",
        ),
        (LIST, "needs either file or addresses"),
        (LIST + 'file = "nowhere.txt"', "nowhere.txt cannot be read"),
        (MIX, "two parts or more"),
        (
            MIX + '[[model.part]]\nkind = "index-page"',
            "number 2: weight must be a number, not None",
        ),
        (MIX + '[[model.part]]\nweight = 0\nkind = "index-page"', "must be above 0"),
        (MIX + '[[model.part]]\nweight = 1\nkind = "mix"', "number 2: kind = 'mix' is no model"),
        (MIX + '[[model.part]]\nweight = 1\nkind = "url-list"\nfile = "x"', "x cannot be read"),
        ('[model]\nkind = "mix"\nparts = 1', "no key 'parts'"),
        ('[model]\nkind = "mix"\npart = 3', r"needs tables \[\[model.part\]\]"),
        ('[model]\nkind = "index-page"\nside = 0', "above 0"),
        ('[model]\nkind = "viewer-session"\nleave = 0', "no end"),
    ],
)
def test_a_mistake_is_reported_with_its_place_and_what_is_allowed(text: str, message: str) -> None:
    with pytest.raises(InvalidScenario, match=message):
        parse_scenario(text, Path("/nowhere"))


def test_a_mistake_in_a_file_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text("seed = x")
    with pytest.raises(InvalidScenario, match=r"s\.toml: is no TOML"):
        read_scenario(tmp_path / "s.toml")
    with pytest.raises(InvalidScenario, match=r"gone\.toml: cannot be read"):
        read_scenario(tmp_path / "gone.toml")


def test_a_workload_without_images_asks_for_a_catalogue() -> None:
    with pytest.raises(InvalidScenario, match="needs a catalogue"):
        parse_scenario(MATRIX, Path()).workload()
