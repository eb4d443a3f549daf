"""Types that need no code: configured in ``bench.json`` by ``type`` and ``scoring``."""
