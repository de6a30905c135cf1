"""Locust users over the generator of `loadtest.workload`, and stages of a given number of them."""
