"""How far a metric follows people: correlations, agreement on pairs of systems, and what people reach."""
