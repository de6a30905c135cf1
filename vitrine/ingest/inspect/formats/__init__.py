"""What kind of picture a master is, read from its header by ourselves, format by format."""
