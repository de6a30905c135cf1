"""Start the ingest of uploads: an event is a hint, the store is the truth."""
