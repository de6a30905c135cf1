"""Saved runs as text, tables and pages."""
