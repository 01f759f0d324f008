"""Long-term memory: records, stores, recall, extraction."""
