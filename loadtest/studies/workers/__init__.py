"""The best number of iipsrv processes, by clients and share of answers from a cache.

Source: Quru, QIS benchmarking page: its two tuning tables (mod_wsgi processes, bench.py's
parameters, requests a second, worst response).
"""
