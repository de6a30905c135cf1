"""When a load generator was the limit itself, so that its figures prove nothing of the server."""

GENERATOR_LIMIT = 0.8
"""Share of each core that it may use. A single server's answers take 1 / (1 - use) times their
work: five times at 80 %. A run's use is its average besides, so that above 0.8 a generator has
certainly kept requests waiting in its busiest time, and at 0.9 it would go unnoticed too often."""


def is_generator_limited(cores: float, threads: int = 1) -> bool:
    """Return True if a generator of `threads` threads that used `cores` cores was the limit."""
    return cores > GENERATOR_LIMIT * threads
