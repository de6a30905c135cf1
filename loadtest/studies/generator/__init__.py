"""The load that a generator itself sustains, against a server that does next to nothing."""
