"""The readouts: span encoder (ships) and label causal (reference), behind one interface; imported on use."""
