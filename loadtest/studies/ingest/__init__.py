"""Speed of the ingest, end to end, and the part of it that is not conversion."""
