"""Where the tasks of a build run: in this process, in processes of this machine, or on a Ray cluster.

A task is a function of one picklable value; its result comes back in the order of the tasks, so that an engine can't
change what is built. Tasks hand over their rows through files: engines of more than one machine need a folder that
all of them see.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, Protocol, TypeVar

from searchjev.errors import ConfigError

T = TypeVar("T")
R = TypeVar("R")
ENGINES = ("local", "ray")


class Engine(Protocol):
    """Runs tasks; `map` yields their results in order, whichever ends first."""

    def map(self, work: Callable[[T], R], tasks: Sequence[T], costs: Sequence[int]) -> Iterator[R]:
        """Results of `work` in the order of tasks; the dearest by `costs` may begin first."""
        ...


def open_engine(name: str, workers: int) -> Engine:
    """Engine of a name, with so many processes or, on Ray, at most so many tasks at once."""
    if name == "local":
        return Local(workers)
    if name == "ray":
        return OnRay(workers)
    raise ConfigError(f"--engine {name}: no such engine; expected one of {', '.join(ENGINES)}")


def dearest_first(costs: Sequence[int]) -> list[int]:
    """Places of the tasks, the longest first: one long task left for last would keep a single worker busy."""
    return sorted(range(len(costs)), key=lambda place: -costs[place])


class Local:
    """Fresh processes of this machine; with one worker, this process."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def map(self, work: Callable[[T], R], tasks: Sequence[T], costs: Sequence[int]) -> Iterator[R]:
        """Results in the order of tasks."""
        if self.workers <= 1 or len(tasks) <= 1:
            yield from map(work, tasks)
            return
        # fresh processes: a fork of one with threads may hang
        with ProcessPoolExecutor(min(self.workers, len(tasks)), get_context("spawn")) as pool:
            futures = {place: pool.submit(work, tasks[place]) for place in dearest_first(costs)}
            for place in range(len(tasks)):
                yield futures.pop(place).result()


class OnRay:
    """The cluster that RAY_ADDRESS names, or a new one on this machine."""

    def __init__(self, workers: int) -> None:
        try:
            import ray
        except ImportError:
            raise ConfigError("--engine ray: Ray is not installed; pip install 'searchjev[ray]'") from None
        self.ray: Any = ray
        self.workers = workers
        if not ray.is_initialized():
            ray.init(log_to_driver=False, include_dashboard=False)

    def map(self, work: Callable[[T], R], tasks: Sequence[T], costs: Sequence[int]) -> Iterator[R]:
        """Results in the order of tasks."""
        remote = self.ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(work)
        order = dearest_first(costs)
        running: dict[Any, int] = {}
        done: dict[int, R] = {}
        given = 0
        while order or running:
            while order and len(running) < max(1, self.workers):
                place = order.pop(0)
                running[remote.remote(tasks[place])] = place
            [ready], _ = self.ray.wait(list(running), num_returns=1)
            done[running.pop(ready)] = self.ray.get(ready)
            while given in done:
                yield done.pop(given)
                given += 1
