"""Redirects: adding and removing them, collapsing chains, importing and auditing many."""
