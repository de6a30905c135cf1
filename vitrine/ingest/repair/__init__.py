"""Catch up with what events never said, and try again what failed."""
