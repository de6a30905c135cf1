"""Where the generators of `vitrine loadtest run` are: on this machine, or tasks on AWS."""

from typing import TYPE_CHECKING, Any

import botocore.exceptions

from vitrine.bootstrap import NotRunning
from vitrine.cli.environment import DEFAULT, stop
from vitrine.errors import InvalidScenario

if TYPE_CHECKING:
    from vitrine.measure.loadtest.command import LoadTest, Progress
    from vitrine.measure.loadtest.fleet import Fleet

HERE, AWS = "here", "aws"


def run_where(
    on: str, test: "LoadTest", generators: int, environment: str, progress: "Progress"
) -> dict[str, Any]:
    """What came of the load test. Raises InvalidScenario and TransientError; exit code 2 where
    there are no generators."""
    from vitrine.measure.loadtest.command import check_answers, run_load_test

    if on == HERE:
        return run_load_test(test, progress)
    if on != AWS:
        raise InvalidScenario(f"--on {on!r}: generators run {HERE}, or on {AWS}")
    check_answers(test.url)
    try:
        return _fleet(environment).run(test, generators, progress)
    except (botocore.exceptions.BotoCoreError, botocore.exceptions.ClientError) as error:
        stop(f"AWS refused: {error}")


def _fleet(environment: str) -> "Fleet":
    from vitrine.bootstrap.places import access_to, output
    from vitrine.measure.loadtest.fleet import OUTPUTS, Fleet

    if environment == DEFAULT:
        stop("--on aws needs --environment: the deployed one whose generators are to ask.")
    try:
        access, stage = access_to(environment)
        outputs = {name: output(access, stage, "loadtest", name) for name in OUTPUTS}
    except NotRunning as error:
        stop(
            f"{error} `npx cdk deploy -c environment={environment} -c loadtest=true "
            f"vitrine-{environment}-loadtest` brings it."
        )
    return Fleet(access=access, outputs=outputs)
