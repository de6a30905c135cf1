"""The health of a service: of its processes on this machine, of its edge and tasks on AWS."""

from vitrine.bootstrap.deployed_services import count_image_tasks
from vitrine.bootstrap.environments import LOCAL
from vitrine.bootstrap.local_service import local_directory, local_service
from vitrine.cli.console.environment import OUT_OF_REACH
from vitrine.local.health import ServicePart, check_parts, find_problem_at


def check_health(environment: str, edge_url: str = "") -> list[ServicePart]:
    """Return the state of each part of an environment. Raises NotRunning.

    `edge_url` is needed for an environment on AWS.
    """
    if environment == LOCAL:
        return check_parts(local_directory(), local_service())
    edge = ServicePart(name="edge", problem=find_problem_at(f"{edge_url}/"))
    return [edge, _image_tasks(environment)]


def _image_tasks(environment: str) -> ServicePart:
    try:
        running, desired = count_image_tasks(environment)
    except OUT_OF_REACH as error:
        return ServicePart(name="image tasks", detail=f"unknown ({error})")
    detail = f"{running} of {desired} run"
    problem = "" if running >= max(desired, 1) else f"Only {detail}; see the service in ECS."
    return ServicePart(name="image tasks", problem=problem, detail=detail)


def is_unwell(parts: list[dict[str, str]]) -> bool:
    """Return True if a part has a problem."""
    return any(part["problem"] for part in parts)


def health_lines(parts: list[dict[str, str]]) -> list[str]:
    """Return the first lines of a status: what is not well, or that all is."""
    unwell = [part for part in parts if part["problem"]]
    well = [part for part in parts if not part["problem"]]
    lines = [f"{'NOT WELL':9}{part['name']}: {part['problem']}" for part in unwell]
    if well:
        named = ", ".join(
            part["name"] + (f" ({part['detail']})" if part["detail"] else "") for part in well
        )
        lines.append(f"{'Well':9}{named}")
    return lines
