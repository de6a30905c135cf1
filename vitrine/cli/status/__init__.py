"""`vitrine status`: whether the service is well, and what it holds."""
