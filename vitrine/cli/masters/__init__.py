"""`vitrine masters`: migrate, delete and restore masters."""
