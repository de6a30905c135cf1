"""The scenarios, one per file; each starts the servers that it compares."""
