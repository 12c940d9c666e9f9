"""Many machines: sessions dealt out among shards, their matches joined by gates.

What is here is plain: it imports no engine of somebody else's and can be run, and is tested,
in one process (:mod:`~wakeful.distributed.local`). :mod:`wakeful.distributed.flink` puts it on
Apache Flink, and is imported only by who has the extra ``wakeful[flink]``.

=================  =========================================================================
``places``         where an input stands in the one order of all partitions
``partitions``     lines of one partition, clamped, routed and cut into batches
``controls``       what concerns everybody: definitions, grants, types; a log with versions
``shards``         sessions to matches, held to the watermark
``gates``          matches to decisions, held to the watermark
``codec``          what goes over the wire and into state, with versions
``local``          all of it in one process, with the clock in the caller's hand
=================  =========================================================================
"""
