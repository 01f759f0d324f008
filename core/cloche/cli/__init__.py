"""The ``cloche`` command: one module per command group."""
