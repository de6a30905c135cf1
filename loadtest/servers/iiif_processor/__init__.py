"""Other image servers, started for a measurement on the same masters."""
