"""A given share of answers from a cache, as QIS's bench.py measures it, against any server.

Source: Quru, QIS benchmarking page (what the script asks for and prints; its code is its own).
"""
