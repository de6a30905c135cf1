"""The drill: ingest under duplicated and late events, faults, kills; then nothing may be lost."""
