"""Re-deriving a release's claims from its files: `verify(release)` yields a Claim for each."""
