"""The server that `vitrine-loadtest run` tests, and where its generators run: here or on AWS."""

from typing import TYPE_CHECKING, Any

import botocore.exceptions

from loadtest.errors import InvalidScenario
from loadtest.workload.catalogue import Image
from loadtest.workload.scenario import Scenario
from vitrine.bootstrap.local_service import NotRunning
from vitrine.cli.console.environment import DEFAULT, connected
from vitrine.cli.console.program import stop

if TYPE_CHECKING:
    from loadtest.fleet.fargate_fleet import Fleet
    from loadtest.fleet.locust_command import LoadTest, Progress

HERE, AWS = "here", "aws"


def run_where(
    on: str, test: "LoadTest", generators: int, environment: str, progress: "Progress"
) -> dict[str, Any]:
    """Run the load test and return its result; end with exit code 2 if there are no generators.

    Raises InvalidScenario and TransientError.
    """
    from loadtest.fleet.locust_command import check_answers, run_load_test

    if on == HERE:
        return run_load_test(test, progress)
    if on != AWS:
        raise InvalidScenario(f"--on {on!r}: give {HERE} or {AWS}")
    check_answers(test.url)
    try:
        return _find_fleet(environment).run(test, generators, progress)
    except (botocore.exceptions.BotoCoreError, botocore.exceptions.ClientError) as error:
        stop(f"AWS refused: {error}")


def server_and_images(
    scenario: Scenario, url: str, sources: list[str] | None, environment: str
) -> tuple[str, list[Image]]:
    """Return the server and the images to request; ours for what is not given."""
    from loadtest.fleet.image_lists import images_from, service_images

    named = images_from(sources or ())
    ours = not sources and not scenario.images and scenario.options.needs_images
    if url and not ours:
        return url, named
    with connected(environment) as service:
        url = url or service.edge_url
        images = service_images(service.identifiers, url) if ours else named
    if ours and not images:
        stop("Our service has published no images: `vitrine ingest` some, or name --images.")
    return url, images


def _find_fleet(environment: str) -> "Fleet":
    from loadtest.fleet.fargate_fleet import OUTPUTS, Fleet
    from vitrine.bootstrap.environments import access_to, output

    if environment == DEFAULT:
        stop("--on aws needs --environment: the deployed one whose generators send the requests.")
    try:
        access, stage = access_to(environment)
        outputs = {name: output(access, stage, "loadtest", name) for name in OUTPUTS}
    except NotRunning as error:
        stop(
            f"{error} `npx cdk deploy -c environment={environment} -c loadtest=true "
            f"vitrine-{environment}-loadtest` deploys them."
        )
    return Fleet(access=access, outputs=outputs)
