"""Photo doors to be measured: ours and others, each behind the same nginx with TLS."""
