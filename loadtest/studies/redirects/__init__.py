"""Cost of redirects: at the gateway, and of their import."""
