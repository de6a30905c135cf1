"""The one place that chooses concrete adapters: a module for each thing that is wired.

Import only the module that you run: a Lambda's cold start pays for every other one. Nothing is
re-exported here, and nothing happens at import.
"""
