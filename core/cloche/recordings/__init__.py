"""A platform's real requests: taken as they come, and kept as samples for tests."""
