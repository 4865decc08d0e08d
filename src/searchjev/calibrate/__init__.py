"""Fitting calibrations; `decide` applies them."""
