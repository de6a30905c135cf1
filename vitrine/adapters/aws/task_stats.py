"""What the containers of an ECS task have used: their agent's answer (task metadata, version 4)."""

import http.client
import json
import logging
import urllib.request
from typing import Any

VARIABLE = "ECS_CONTAINER_METADATA_URI_V4"
"""ECS writes the address into it, in every container: no permission is needed, nothing is paid."""
SECONDS = 3.0
_NANOSECONDS = 1_000_000_000

logger = logging.getLogger(__name__)


def read_container_cpu(uri: str) -> dict[str, float]:
    """Return CPU seconds since the start of each container of the task, by its name.

    Containers that have no figures yet are left out; so are all if the agent does not answer.
    """
    try:
        names = {item["DockerId"]: item["Name"] for item in _get_json(f"{uri}/task")["Containers"]}
        stats = _get_json(f"{uri}/task/stats")
    except (OSError, http.client.HTTPException, ValueError, KeyError) as error:
        logger.warning("The task's statistics cannot be read: %s", error)
        return {}
    return {
        names[key]: used["cpu_stats"]["cpu_usage"]["total_usage"] / _NANOSECONDS
        for key, used in stats.items()
        if used and key in names
    }


def _get_json(url: str) -> dict[str, Any]:
    with urllib.request.urlopen(url, timeout=SECONDS) as answer:
        document: dict[str, Any] = json.load(answer)
        return document
