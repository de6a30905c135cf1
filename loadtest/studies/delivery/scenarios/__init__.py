"""What is measured: one scenario per file, each starts the servers it compares."""
