"""Search without a server: an index in many small files, of which a query reads a few."""
