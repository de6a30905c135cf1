"""Pages for operators, which need no network: one base, one stylesheet, everything escaped."""
