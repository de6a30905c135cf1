"""How many iipsrv processes, for how many clients, at which share of answers from a cache.

Source: Quru, QIS benchmarking page: its two tuning tables (mod_wsgi processes, bench.py's
parameters, requests a second, worst response).
"""
