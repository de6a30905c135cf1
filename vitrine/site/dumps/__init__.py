"""Dumps: everything that is published, in few files, for machines."""
