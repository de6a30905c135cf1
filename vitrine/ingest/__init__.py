"""From master to access master: validate, convert, verify, publish."""
