"""Load tests: requests to any image server, and checks and figures of its answers."""
