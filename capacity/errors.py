"""The errors of the capacity planner, next to those of load tests and of the service."""

from vitrine.errors import VitrineError


class PlanImpossible(VitrineError):
    """No service can fulfil a capacity plan; the message says what is impossible, and why."""
