"""A PDF that is written page by page: stored JPEGs as they are, and an invisible text over them.

Source: ISO 32000-1:2008.
"""
