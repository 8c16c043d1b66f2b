"""Speed and memory, each beside the named peer in the same run: ``python -m benchmarks``."""
