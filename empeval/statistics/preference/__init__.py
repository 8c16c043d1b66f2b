"""Preferences between systems: counts of wins, ties and losses, and rankings from paired comparisons."""
