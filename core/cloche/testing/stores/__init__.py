"""What ``StoreConformance`` is made of, by subject."""
