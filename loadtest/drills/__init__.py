"""Drills: the service under faults, damage and load; each ends with a verdict."""
