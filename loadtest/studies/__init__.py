"""Published studies that anybody can repeat: one package each, on one generator of requests."""
