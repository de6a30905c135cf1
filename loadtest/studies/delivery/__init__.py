"""Deliver compared with plain servers: CPU, speed, latency and fidelity in the same run."""
