"""Formats and values: pure, no files, no processes."""
