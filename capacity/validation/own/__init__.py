"""Our own load tests, predicted: calibrated on two, compared with three others."""
