"""HTTP/1.1 between nginx and the gateway: connections, headers, conditional requests, health."""
