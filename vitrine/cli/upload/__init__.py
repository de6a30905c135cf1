"""An upload of masters: what becomes of each, as it is shown."""
