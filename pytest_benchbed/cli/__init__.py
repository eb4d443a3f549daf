"""The benchbed command; thin."""
