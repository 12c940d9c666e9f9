"""The page of the docs on performance, from the results that the benchmarks saved."""
