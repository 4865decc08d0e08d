"""Getting files: base weights and tokenizers from a hub or from package registries."""
