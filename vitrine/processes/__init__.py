"""The long-running processes, each started by `python -m vitrine.processes.NAME`."""
