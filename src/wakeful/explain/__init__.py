"""Why it fired, why it did not."""
