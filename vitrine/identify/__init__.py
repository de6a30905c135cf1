"""Identifiers: live, redirected or gone; never silently lost."""
