"""``flink run -pym wakeful.distributed.flink -- --out FOLDER PARTITION…``."""

import click
from pyflink.datastream import StreamExecutionEnvironment

from wakeful.core.settings import Settings
from wakeful.distributed.flink import Dealing, Fleet, Source, write


@click.command()
@click.argument("partitions", nargs=-1, required=True)
@click.option("--out", required=True, help="Folder for decisions and notices.")
@click.option("--shards", type=int, default=64, help="0: a shard for each session.")
@click.option("--gates", type=int, default=16)
@click.option("--follow", is_flag=True, help="Go on as the files grow.")
@click.option("--chunk", type=int, default=1 << 18, help="Bytes read at once.")
@click.option("--pace", type=int, default=0, help="Milliseconds to wait before each chunk.")
@click.option("--run-time", default="log", help="log, none, or milliseconds.")
@click.option("--unmet", type=click.Choice(["every", "none"]), default="none")
@click.option("--name", default="wakeful")
def main(  # noqa: PLR0913, PLR0917 - one for each option
    partitions: tuple[str, ...],
    out: str,
    shards: int,
    gates: int,
    follow: bool,  # noqa: FBT001 - click gives it by name
    chunk: int,
    pace: int,
    run_time: str,
    unmet: str,
    name: str,
) -> None:
    """Decide about the native logs PARTITIONS, each a file that every task manager sees."""
    settings = Settings(
        run_time=int(run_time) if run_time.isdigit() else run_time,  # type: ignore[arg-type]
        unmet="every" if unmet == "every" else "none",
    )
    fleet = Fleet(dealing=Dealing(shards=shards or None, gates=gates), settings=settings)
    sources = [
        Source(number=number, path=path, chunk=chunk, follow=follow, pace=pace)
        for number, path in enumerate(partitions)
    ]
    env = StreamExecutionEnvironment.get_execution_environment()
    write(fleet.decide(env, sources), out)
    env.execute(name)


main(standalone_mode=False)
