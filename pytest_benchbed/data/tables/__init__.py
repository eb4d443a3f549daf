"""A user's own table of cases, JSONL or CSV, made into the rows of a dataset."""
