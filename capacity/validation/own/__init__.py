"""Our own load tests, predicted: calibrated on two, three others foretold."""
