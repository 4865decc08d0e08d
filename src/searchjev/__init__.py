"""searchjev: calibrated System-1 decisions for search agents."""
