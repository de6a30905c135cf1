"""The gateway as a Lambda behind a function URL: events in, streamed answers out (ADR 0022)."""
