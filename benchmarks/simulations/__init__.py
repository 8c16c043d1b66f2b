"""Simulated studies that measure what the statistics promise: ``python -m benchmarks.simulations [names]``.

A study is a module with ``NAME``, a docstring that says what is simulated, and ``run() -> list[Row]``.
"""
