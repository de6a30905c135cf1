"""The errors of load tests, next to those of the service (`vitrine.errors`)."""

from vitrine.errors import VitrineError


class InvalidScenario(VitrineError):
    """A workload's scenario, list or catalogue is not usable; the message says what to correct."""
