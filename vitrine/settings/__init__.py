"""Every setting, declared once: name, type, unit (in the name), default, and what it does.

There is one class of settings for each process. It inherits what an operator may choose from a
class of options, which is a field of the environment (`environments.toml`). The rest of its
settings are marked: `derived_from` names what of the environment the stacks compute a setting
from, `wiring` marks names and addresses that only the stacks know.

The stacks write settings (`to_environment`), the processes read them (`from_environment`), and
`docs/reference/settings.md` is generated from them.
"""
