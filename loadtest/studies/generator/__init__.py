"""What a generator of load sustains by itself: against a server that does next to nothing."""
