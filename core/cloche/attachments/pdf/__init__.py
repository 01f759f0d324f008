"""The text of PDF files, read in a process of its own: what is wrong with one ends there."""
