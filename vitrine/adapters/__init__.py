"""Adapters: what implements the ports on AWS, in memory and, as the edge, with nginx."""
