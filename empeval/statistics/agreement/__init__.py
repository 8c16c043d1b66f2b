"""Agreement of raters: coefficients, each with an interval from one engine (`units`)."""
