"""``python -m cloche``: the same as the ``cloche`` command."""

from cloche.cli.app import main

main()
