"""What redirects cost: at the gateway, and to import."""
