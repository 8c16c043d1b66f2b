"""The panels of the researcher's page, one a file; whatever a person wrote is drawn as plain text."""
