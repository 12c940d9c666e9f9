"""What a user would pick instead, each fed the same rules and the same events.

Each module has one peer: a class with a ``name``, ``MEANS`` (what its rules of each kind
mean, by :mod:`peers.meanings`), ``prepare``, which makes events its own outside of what is
timed, and ``feed``, which takes them and gives what it found.
"""
