"""The steps of a build, one module each."""

STEPS = (
    "read",
    "normalise",
    "duplicates",
    "near duplicates",
    "groups",
    "split",
    "instructions",
    "preflight",
    "weights",
)
"""Their names in the order of the build; every reject names one."""
