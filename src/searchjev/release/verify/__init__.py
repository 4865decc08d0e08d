"""Re-deriving a release's claims from its files alone."""
