"""The run directory: made, written, found, read, listed, tidied."""
