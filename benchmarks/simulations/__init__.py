"""Simulated studies that measure what the statistics promise: coverage of intervals, errors of tests."""
