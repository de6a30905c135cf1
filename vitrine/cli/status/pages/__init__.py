"""The status page: written to a file, or served to the person at this machine."""
