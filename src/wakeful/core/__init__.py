"""The engine: no clock, no I/O, no threads, no logging."""
