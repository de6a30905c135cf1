"""Catch up with events that never came, and try again what failed."""
