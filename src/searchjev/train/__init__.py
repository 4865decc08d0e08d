"""One loop for encoder and LoRA: batches, loss, checkpoints, selection."""
