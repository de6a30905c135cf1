"""The services that let people see restricted images: signing in, terms, tokens and probes.

They follow IIIF Authorization Flow 2.0 and Authentication 1.0, and give out the tickets of
`vitrine.access`. One Lambda runs them (`lambdas/authorize_visitor`).
"""
