"""The local memory store: one SQLite file per assistant."""
