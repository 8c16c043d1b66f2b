"""One step of the tables' history a file."""
