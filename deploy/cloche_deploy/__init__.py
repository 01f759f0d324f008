"""Deploys one assistant per package to AWS: template, ingress, image, deploy and destroy."""
