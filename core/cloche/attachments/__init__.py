"""The files of a message: what kind each is, and what of it a model reads."""
