"""Where studies are kept: the only place with SQL."""
