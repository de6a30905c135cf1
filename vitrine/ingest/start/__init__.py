"""Start the ingest of what was uploaded: an event is a hint, the store is the truth."""
