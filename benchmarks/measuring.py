"""How the benchmarks measure, and how they tell.

What is compared is measured turn by turn in one run, by processor time, and medians are told:
other programs can only make a turn slower. No benchmark fails for a figure. What was asked for
stands beside what was reached, in the results that ``--benchmark-json`` saves, of which
``python -m benchmarks.report`` makes the docs' page. With ``--benchmark-disable`` nothing is
measured: each is done once and small, as a test of itself.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from time import process_time
from typing import Any, Literal

Job = Callable[[], object]


def smaller(benchmark: Any, number: int, small: int) -> int:
    """``number``, or ``small`` where nothing is measured."""
    return min(number, small) if benchmark.disabled else number


@contextmanager
def without_collecting() -> Iterator[None]:
    """No garbage is collected meanwhile: when it is depends on what came before."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def seconds(job: Job) -> float:
    """Processor time that a job takes."""
    began = process_time()
    job()
    return process_time() - began


def in_turns(turns: int, *jobs: Job) -> list[float]:
    """The median of what each job takes, all done turn by turn."""
    took: list[list[float]] = [[] for _ in jobs]
    with without_collecting():
        for _ in range(turns):
            for each, job in zip(took, jobs, strict=True):
                each.append(seconds(job))
                gc.collect(0)
    return [median(each) for each in took]


def once(benchmark: Any, work: Callable[[], Any]) -> Any:
    """Do what measures by itself, as one round of the benchmark."""
    return benchmark.pedantic(work, rounds=1, iterations=1)


def tell(benchmark: Any, capsys: Any, what: str, figures: dict[str, Any]) -> None:
    """Keep figures with the benchmark's results, and print them."""
    benchmark.extra_info.update(figures)
    words = ", ".join(f"{name} {_short(figure)}" for name, figure in figures.items())
    with capsys.disabled():
        print(f"\n{what}: {words}", end="")


def yardstick(
    benchmark: Any,
    capsys: Any,
    what: str,
    reached: float,
    asked: float,
    *,
    unit: str = "times",
    bound: Literal["at most", "at least"] = "at most",
) -> None:
    """Keep and print a figure beside the one that was asked for."""
    row = {"what": what, "asked": asked, "bound": bound, "reached": reached, "unit": unit}
    row["measured"] = not benchmark.disabled
    benchmark.extra_info.setdefault("yardsticks", []).append(row)
    with capsys.disabled():
        print(f"\n{what}: {_short(reached)} {unit}, asked {bound} {asked:g}", end="")


def _short(figure: Any) -> str:
    if not isinstance(figure, float):
        return f"{figure:,}" if isinstance(figure, int) else str(figure)
    return f"{figure:,.0f}" if figure >= 1_000 else f"{figure:.3g}"
