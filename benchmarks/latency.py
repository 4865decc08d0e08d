"""Time to answer in process: one question of about 100 tokens, five about one state, beside a plain transformers loop.

Medians of 50 runs after 5 to warm up (--quick: 10 after 2). The last line is one JSON object with the figures.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable

from searchjev import Choice, Noul, Score, SearchJev

SENTENCES = [
    "Ed Wood is a 1994 American biographical period comedy-drama film directed and produced by Tim Burton.",
    "The film concerns the period in Wood's life when he made his best-known films.",
    "Scott Derrickson is an American director, screenwriter and producer who lives in Los Angeles.",
]


def state(sentences: int) -> dict:
    return {
        "question": "Were Scott Derrickson and Ed Wood of the same nationality?",
        "evidence": [SENTENCES[i % len(SENTENCES)] for i in range(sentences)],
    }


QUESTIONS = {
    "enough": Noul("Is the evidence enough to answer the question?"),
    "useful": Noul("Did the last page add something that was needed?"),
    "next": Choice(
        {"answer": "give the answer", "search": "search again", "open": "open a page"}, "What should be done next?"
    ),
    "trust": Score(["not at all", "partly", "fully"], "How far can the sources be trusted?"),
    "query": Choice({"a": "Scott Derrickson nationality", "b": "Ed Wood nationality"}, "Which query next?"),
}


def median_ms(call: Callable[[], object], runs: int, warm: int) -> float:
    for _ in range(warm):
        call()
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        call()
        times.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(times)


def transformers_loop(tokens: int) -> Callable[[], object] | None:
    """One forward of a BERT of the same size, a question a call, as a plain transformers user would write it."""
    try:
        import torch
        from transformers import BertConfig, BertModel
    except ModuleNotFoundError:
        return None
    torch.manual_seed(0)
    sizes = {"hidden_size": 384, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 1536}
    model = BertModel(BertConfig(vocab_size=72_000, **sizes)).eval()
    ids = torch.randint(5, 70_000, (1, tokens))

    def call():
        with torch.inference_mode():
            return model(input_ids=ids).last_hidden_state

    return call


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--bundle", default=None, help="bundle folder (default: the bundled model)")
    args = parser.parse_args()
    runs, warm = (10, 2) if args.quick else (50, 5)
    begin = time.perf_counter()
    model = SearchJev.load(args.bundle)
    one = {"enough": QUESTIONS["enough"]}
    model.decide(state(2), one)
    figures = {"cold_start_ms": (time.perf_counter() - begin) * 1e3}
    short, long = state(3), state(45)
    tokens = model.count_tokens(short, one)
    figures |= {"tokens_short": tokens, "tokens_long": model.count_tokens(long, one)}
    figures["one_question_ms"] = median_ms(lambda: model.decide(short, one), runs, warm)
    figures["long_one_question_ms"] = median_ms(lambda: model.decide(long, one), runs, warm)
    figures["long_five_questions_ms"] = median_ms(lambda: model.decide(long, QUESTIONS), runs, warm)
    figures["five_to_one"] = figures["long_five_questions_ms"] / figures["long_one_question_ms"]
    figures["batch_of_8_ms_a_state"] = median_ms(lambda: model.decide_many([(short, one)] * 8), runs, warm) / 8
    loop = transformers_loop(tokens)
    if loop is not None:
        figures["transformers_one_question_ms"] = median_ms(loop, runs, warm)
    for name, value in figures.items():
        print(f"{name:<30} {value:>10.2f}")
    print(json.dumps({name: round(value, 3) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
