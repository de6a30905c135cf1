"""Baresoil's benchmark of 2017, on our ingest: photographs of 9 to 11 MB an hour, and dollars."""
