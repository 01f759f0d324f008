"""The AgentCore contract: one assistant behind ``/ping`` and ``/invocations``."""
