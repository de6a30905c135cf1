"""The IIIF Presentation API: what a manifest says, and how its two versions say it."""
