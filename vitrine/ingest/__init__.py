"""From master to access master: validate, convert, verify, publish.

`start` turns uploads into executions; `steps` has a module for each step of the state machine,
which `inspect`, `convert` and `publish` do; `repair` finds what got lost on the way.
"""
