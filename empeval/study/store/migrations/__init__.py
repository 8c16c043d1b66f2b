"""The history of the tables, for Alembic."""
