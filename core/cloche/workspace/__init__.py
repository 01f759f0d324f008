"""People's files: what they sent, what tools made for them.

``names`` says what a file may be called, ``store`` what keeps files; ``folder`` and ``s3`` keep
them, ``mirror`` has them at hand here and for good somewhere else. ``workspace`` is what the host
uses, ``person_files`` what the tools of a turn see of it.
"""
