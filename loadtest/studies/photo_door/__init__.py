"""Baresoil's benchmark of 2017, on our photo door and others: a photograph in, a thumbnail out."""
