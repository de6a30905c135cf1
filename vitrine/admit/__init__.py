"""Who is let in to restricted images: signing in, terms, tokens and probes (IIIF Authorization)."""
