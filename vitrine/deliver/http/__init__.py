"""HTTP/1.1 as the gateway speaks it: requests, answers, headers, conditions, health."""
