"""A log and rules in, outputs out."""
