"""The researcher's page: a process of its own, on this machine alone, behind a password."""
