"""What ``AssistantConformance`` is made of, by subject."""
