"""The status page: written to a file, or served to who sits at this machine."""
