"""Data that the host reads as resources, JSON Schemas and shared skills, and what skills hear."""
