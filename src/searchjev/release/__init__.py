"""From rows of many sources to one verified training release."""
