"""From stored outcomes to a verdict: everything that can be done again without asking a system."""
