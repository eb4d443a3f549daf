"""Pure scoring functions."""
