"""Locust users over the generator of `vitrine.workload`, and stages of so many at once."""
