"""Current truth: what of all that a person said holds now."""
