"""Numbers only: functions in, small result objects out."""
