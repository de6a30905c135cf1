"""Clients that send requests to a server, and check and time its answers."""
