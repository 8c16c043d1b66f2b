"""What can be done in a study: by raters (`rater`), and by the researcher (`admin`)."""
