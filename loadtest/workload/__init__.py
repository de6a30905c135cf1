"""The workload, one seeded generator for load tests and the simulator: who requests what, and
when. Pure."""
