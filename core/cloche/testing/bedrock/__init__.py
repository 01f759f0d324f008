"""A loopback Bedrock: Converse and ConverseStream for unmodified boto3, with a prompt cache."""

from cloche.testing.bedrock.endpoint import BedrockEndpoint

__all__ = ["BedrockEndpoint"]
