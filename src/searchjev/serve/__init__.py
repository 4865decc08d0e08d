"""The System One wire contract over HTTP."""
