"""The queue: what is waiting is computed together, nobody waits for ever, nothing is computed in vain."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Sequence

import pytest

from searchjev.serve.batcher import Batcher
from searchjev.serve.failure import Overloaded
from searchjev.serve.settings import Settings


class Runner:
    """Doubles numbers; holds each batch until `gate` is open."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.gate = threading.Event()
        self.gate.set()

    def __call__(self, batch: Sequence[int]) -> list[int]:
        self.batches.append(list(batch))
        assert self.gate.wait(5)
        if 13 in batch:
            raise ValueError("thirteen")
        return [2 * number for number in batch] if 99 not in batch else []


def with_batcher(
    test: Callable[[Batcher[int, int], Runner], Awaitable[None]], settings: Settings | None = None
) -> Runner:
    runner = Runner()

    async def main() -> None:
        batcher: Batcher[int, int] = Batcher(runner, settings or Settings())
        batcher.start()
        try:
            await asyncio.wait_for(test(batcher, runner), 10)
        finally:
            runner.gate.set()
            await batcher.stop()

    asyncio.run(main())
    return runner


async def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.001)


def test_what_waits_is_computed_together_short_ones_first():
    async def test(batcher, runner):
        runner.gate.clear()
        first = batcher.submit(1, 1)
        await until(lambda: runner.batches == [[1]])
        rest = [batcher.submit(n, cost) for n, cost in ((2, 30), (3, 10), (4, 20))]
        runner.gate.set()
        assert await asyncio.gather(first, *rest) == [2, 4, 6, 8]

    assert with_batcher(test).batches == [[1], [3, 4, 2]]


def test_batches_keep_their_limits():
    async def test(batcher, runner):
        futures = [batcher.submit(n, cost) for n, cost in enumerate([40, 40, 40, 500, 10, 10, 10, 10])]
        await asyncio.gather(*futures)

    batches = with_batcher(test, Settings(batch_requests=3, batch_tokens=100)).batches
    assert batches == [[0, 1], [2], [3], [4, 5, 6], [7]]


def test_one_bad_request_does_not_spoil_its_neighbours():
    async def test(batcher, runner):
        futures = [batcher.submit(n, 1) for n in (1, 13, 2)]
        results = await asyncio.gather(*futures, return_exceptions=True)
        assert results[0] == 2
        assert isinstance(results[1], ValueError)
        assert results[2] == 4
        assert await batcher.submit(5, 1) == 10

    with_batcher(test)


def test_a_missing_result_is_an_error_for_all():
    async def test(batcher, runner):
        results = await asyncio.gather(batcher.submit(99, 1), return_exceptions=True)
        assert isinstance(results[0], RuntimeError)

    with_batcher(test)


def test_cancelled_and_expired_items_are_not_computed():
    async def test(batcher, runner):
        runner.gate.clear()
        first = batcher.submit(1, 1)
        await until(lambda: runner.batches == [[1]])
        cancelled, expired = batcher.submit(2, 1), batcher.submit(3, 1)
        cancelled.cancel()
        with pytest.raises(Overloaded, match="without being begun"):
            await expired
        assert not first.done(), "an item that was begun does not expire"
        late = batcher.submit(4, 1)
        runner.gate.set()
        assert (await first, await late) == (2, 8)
        assert batcher.expired == 1

    assert with_batcher(test, Settings(timeout_s=0.1)).batches == [[1], [4]]


def test_more_than_the_limit_is_refused_at_once():
    async def test(batcher, runner):
        with batcher.admitted_request(), batcher.admitted_request():
            with pytest.raises(Overloaded) as refused, batcher.admitted_request():
                pass
        assert int(refused.value.headers["retry-after-ms"]) > 0
        assert int(refused.value.headers["retry-after"]) > 0
        with batcher.admitted_request():
            assert batcher.admitted == 1
        assert batcher.admitted == 0

    with_batcher(test, Settings(max_in_flight=2))


def test_a_long_expected_wait_is_refused_at_once():
    async def test(batcher, runner):
        runner.gate.clear()
        first = batcher.submit(1, 10)
        await asyncio.sleep(0.05)
        runner.gate.set()
        await first
        runner.gate.clear()
        waiting = batcher.submit(2, 1_000_000)
        with pytest.raises(Overloaded, match="s of work"):
            batcher.submit(3, 1)
        runner.gate.set()
        assert await waiting == 4
        await asyncio.sleep(0.01)
        assert batcher.expected_wait_s() == 0

    with_batcher(test)


def test_stopping_finishes_what_waits_and_refuses_the_rest():
    async def test(batcher, runner):
        runner.gate.clear()
        futures = [batcher.submit(n, 1) for n in range(3)]
        stop = asyncio.create_task(batcher.stop())
        await asyncio.sleep(0.01)
        runner.gate.set()
        await stop
        assert [future.result() for future in futures] == [0, 2, 4]
        with pytest.raises(Overloaded):
            batcher.submit(4, 1)

    with_batcher(test)


def test_a_killed_worker_leaves_nobody_waiting():
    async def test(batcher, runner):
        runner.gate.clear()
        running = batcher.submit(1, 1)
        await until(lambda: runner.batches == [[1]])
        waiting = batcher.submit(2, 1)
        batcher._worker.cancel()
        results = await asyncio.gather(running, waiting, return_exceptions=True)
        assert all(isinstance(result, Overloaded) for result in results)
        runner.gate.set()
        batcher._worker = None

    with_batcher(test)
