"""Models: providers, the demo stand-in, usage and prices."""
