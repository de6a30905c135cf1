"""Addresses of earlier servers, and what leads them here."""
