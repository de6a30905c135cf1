"""Visits, counted from the edge's access log: views, openings, zooms and downloads by day."""
