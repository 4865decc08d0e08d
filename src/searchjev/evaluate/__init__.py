"""Predictions, metrics, baselines and the report."""
