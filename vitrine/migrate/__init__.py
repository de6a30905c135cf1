"""Bulk ingest of a whole collection: from a manifest, a folder or a prefix to a report."""
