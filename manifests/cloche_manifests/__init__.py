"""Data that the host reads as resources: JSON Schemas and the shared skills."""
