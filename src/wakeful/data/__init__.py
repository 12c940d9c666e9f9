"""The log that comes with the package; the rulesets join it when the package is built."""
