"""One file per benchmark type."""
