"""Evaluate empathetic dialogue systems, automatically and with people."""

__version__ = "0.1.0"
