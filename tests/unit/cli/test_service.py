"""`vitrine up`, as far as it needs no service."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.service import holds_nothing

Run = Callable[..., Any]


def test_the_sample_is_for_a_service_that_never_had_an_image(
    run: Run, service: Deployment, picture: Path
) -> None:
    assert holds_nothing(service)
    run("ingest", picture)
    assert not holds_nothing(service)
    run("image", "withdraw", "nacht wache", "--reason", "A wish of the estate.")
    assert service.identifiers.newest(1) == []
    assert not holds_nothing(service)
