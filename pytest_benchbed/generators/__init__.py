"""Deterministic generators of the public datasets."""
