"""A bounded queue in front of one worker: what waits together is computed together.

Every future handed out ends with a result or an exception: when its batch is done, when its time is over, when the
worker fails, when the server stops. Cancelled and expired items are never computed.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Generic, NamedTuple, TypeVar

from searchjev.serve.failure import Overloaded
from searchjev.serve.settings import Settings

T = TypeVar("T")
R = TypeVar("R")
SMOOTHING = 0.2
log = logging.getLogger(__name__)


class _Item(NamedTuple, Generic[T, R]):
    content: T
    cost: int
    future: asyncio.Future[R]
    timer: asyncio.TimerHandle


class Batcher(Generic[T, R]):
    """Runs `run` on batches in a thread of its own; belongs to the loop that calls `start`."""

    def __init__(self, run: Callable[[Sequence[T]], Sequence[R]], settings: Settings) -> None:
        self._run = run
        self._settings = settings
        self._queue: deque[_Item[T, R]] = deque()
        self._running: list[_Item[T, R]] = []
        self._wake = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="searchjev-run")
        self._worker: asyncio.Task[None] | None = None
        self._stopping = False
        self._seconds_per_cost: float | None = None
        self._cost = 0
        self.admitted = 0
        self.batches = 0
        self.computed = 0
        self.expired = 0

    def start(self) -> None:
        """Begin to work."""
        self._worker = asyncio.get_running_loop().create_task(self._work())

    async def stop(self) -> None:
        """Compute what waits, then end; later items are refused."""
        self._stopping = True
        self._wake.set()
        if self._worker is not None:
            await self._worker
        self._thread.shutdown(wait=False)

    @property
    def depth(self) -> int:
        """Items that wait."""
        return len(self._queue)

    def expected_wait_s(self) -> float:
        """Estimate of the time until an item put in now is begun; 0 until something was measured."""
        return self._cost * (self._seconds_per_cost or 0.0)

    @contextmanager
    def admitted_request(self) -> Iterator[None]:
        """Count one request from its arrival to its answer; Overloaded when there are too many."""
        if self.admitted >= self._settings.max_in_flight:
            raise Overloaded(f"{self.admitted} requests in flight, the most served at once", self._retry_after_s())
        self.admitted += 1
        try:
            yield
        finally:
            self.admitted -= 1

    def submit(self, content: T, cost: int) -> asyncio.Future[R]:
        """Queue an item; its future ends with the result. Overloaded when it would wait too long."""
        wait_s = self.expected_wait_s()
        if wait_s > self._settings.max_wait_s:
            raise Overloaded(f"about {wait_s:.0f} s of work are waiting", self._retry_after_s())
        if self._worker is None or self._worker.done():
            raise Overloaded("the server is stopping; send the request again", 1.0)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[R] = loop.create_future()
        timer = loop.call_later(self._settings.timeout_s, self._expire, future)
        self._queue.append(_Item(content, cost, future, timer))
        self._cost += cost
        self._wake.set()
        return future

    def _expire(self, future: asyncio.Future[R]) -> None:
        if not future.done():
            self.expired += 1
            message = f"waited {self._settings.timeout_s:g} s without being begun"
            future.set_exception(Overloaded(message, self._retry_after_s()))

    def _retry_after_s(self) -> float:
        return min(60.0, max(0.25, self.expected_wait_s() / 2))

    async def _work(self) -> None:
        try:
            while not (self._stopping and not self._queue):
                self._running = self._next_batch()
                if self._running:
                    await self._compute(self._running)
                    self._cost -= sum(item.cost for item in self._running)
                elif not self._stopping:
                    self._wake.clear()
                    await self._wake.wait()
        finally:
            self._fail_all()

    def _next_batch(self) -> list[_Item[T, R]]:
        """Oldest items that are still wanted, within the limits of a batch, sorted by length."""
        batch: list[_Item[T, R]] = []
        cost = 0
        while self._queue and len(batch) < self._settings.batch_requests:
            item = self._queue[0]
            if item.future.done():
                self._cost -= item.cost
            elif batch and cost + item.cost > self._settings.batch_tokens:
                break
            else:
                batch.append(item)
                cost += item.cost
            self._queue.popleft()
            item.timer.cancel()
        return sorted(batch, key=lambda item: item.cost)

    async def _compute(self, batch: list[_Item[T, R]]) -> None:
        loop = asyncio.get_running_loop()
        begin = loop.time()
        try:
            results = await loop.run_in_executor(self._thread, self._run_checked, [item.content for item in batch])
        except Exception as error:
            await self._after_failure(batch, error)
            return
        self._measure(loop.time() - begin, sum(item.cost for item in batch))
        self.batches += 1
        self.computed += len(batch)
        for item, result in zip(batch, results, strict=True):
            if not item.future.done():
                item.future.set_result(result)

    def _run_checked(self, contents: Sequence[T]) -> Sequence[R]:
        results = self._run(contents)
        if len(results) != len(contents):
            raise RuntimeError(f"engine: {len(results)} results for {len(contents)} requests")
        return results

    async def _after_failure(self, batch: list[_Item[T, R]], error: Exception) -> None:
        """Run each item alone, so that only the one at fault fails."""
        if len(batch) == 1:
            if not batch[0].future.done():
                batch[0].future.set_exception(error)
            return
        log.warning("a batch of %d failed (%s); running its requests one by one", len(batch), error)
        for item in batch:
            if not item.future.done():
                await self._compute([item])

    def _measure(self, seconds: float, cost: int) -> None:
        rate = seconds / max(1, cost)
        old = self._seconds_per_cost
        self._seconds_per_cost = rate if old is None else old + SMOOTHING * (rate - old)

    def _fail_all(self) -> None:
        for item in (*self._running, *self._queue):
            item.timer.cancel()
            if not item.future.done():
                item.future.set_exception(Overloaded("the server is stopping; send the request again", 1.0))
        self._queue.clear()
        self._cost = 0
