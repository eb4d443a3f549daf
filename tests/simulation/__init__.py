"""Systems with known chances, judged by the real rules: what the gate gets wrong, and how often."""
