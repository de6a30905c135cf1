"""Updates of collections from sources of any kind: one row or record, one object."""
