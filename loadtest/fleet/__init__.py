"""Load tests: scenarios run by Locust (`loadtest/`), which is started as a process of its own."""
