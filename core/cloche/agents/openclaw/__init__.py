"""OpenClaw as the agent: its gateway runs as a child of ours, locked down, and is wrapped.

It reaches models through ``cloche.llm.openai_endpoint`` and tools through ``mcp_server`` alone,
both on loopback and both for turns that are under way. Where it is not there, the embedded agent
answers.
"""
