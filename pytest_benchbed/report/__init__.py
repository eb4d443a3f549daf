"""What a reader sees: page, summary, terminal lines."""
