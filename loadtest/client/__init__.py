"""Clients that ask a server, and check and time its answers."""
