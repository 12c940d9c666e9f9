"""A fleet on Apache Flink; needs the extra ``wakeful[flink]`` and a Java runtime.

See the guide "Fleets". In short::

    env = StreamExecutionEnvironment.get_execution_environment()
    fleet = Fleet(settings=Settings())
    write(fleet.decide(env, [Source(number=0, path="/shared/p0.jsonl")]), "/shared/decided")
    env.execute("wakeful")

or, with nothing to write, ``flink run -pym wakeful.distributed.flink --help``.
"""

from wakeful.distributed.flink.job import Fleet, write
from wakeful.distributed.flink.reading import Source
from wakeful.distributed.partitions import Dealing

__all__ = ["Dealing", "Fleet", "Source", "write"]
