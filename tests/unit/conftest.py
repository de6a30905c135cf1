"""What holds for every unit test."""

import pytest

from vitrine.identify.redirects import bulk


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try again at once: half a minute passes before a throttled call is given up."""
    monkeypatch.setattr(bulk, "PAUSES", (0.0,) * len(bulk.PAUSES))
