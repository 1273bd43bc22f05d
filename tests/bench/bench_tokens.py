"""The token estimate against real tokenizers: ratios per kind of text, and speed.

    pip install tiktoken litellm            # in an environment of its own; litellm's wheel brings the tables along
    PYTHONPATH=. python tests/bench/bench_tokens.py

A ratio under 1 means that a budget kept with the estimate would be overrun by as much.
"""

from __future__ import annotations

import base64
import csv
import difflib
import importlib
import importlib.util
import inspect
import io
import json
import os
import random
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

from workbench.core.tokens import estimate

TABLES = ("cl100k_base", "o200k_base")
Count = Callable[[str], int]


def tokenizers() -> dict[str, Count]:
    """Counting functions by table name. Exits with a sentence when the packages are missing."""
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None or importlib.util.find_spec("tiktoken") is None:
        sys.exit("needs tiktoken and litellm (which ships the tables); install both in this environment")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(Path(spec.origin).parent / "litellm_core_utils" / "tokenizers")
    tiktoken: Any = importlib.import_module("tiktoken")

    def counter(name: str) -> Count:
        encoding = tiktoken.get_encoding(name)
        return lambda text: len(encoding.encode_ordinary(text))

    return {name: counter(name) for name in TABLES}


def docstrings(*modules: str) -> str:
    found = (inspect.getdoc(item) for name in modules for item in vars(importlib.import_module(name)).values())
    return "\n\n".join(dict.fromkeys(filter(None, found)))


def source(name: str) -> str:
    return inspect.getsource(importlib.import_module(name))[:60_000]


def failing(levels: int) -> str:
    try:
        json.loads("[" * levels + "}")
    except ValueError:
        return traceback.format_exc()
    return ""


def table(rows: Iterator[list[Any]]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()


def samples() -> dict[str, str]:
    """Texts as a run's transcript holds them. Made here or taken from the standard library."""
    rng = random.Random(7)
    words = ["agent", "step", "tool", "call", "result", "budget", "reads", "writes", "the", "a", "of", "pass", "model"]
    stamp = [
        f"2026-03-{day:02d}T{hour:02d}:{minute:02d}:07Z"
        for day in range(1, 29)
        for hour, minute in [(day % 24, day * 2)]
    ]
    old = source("zipfile").splitlines(keepends=True)
    new = [line.replace("self._", "self.__").replace("raise", "return") for line in old]
    records = [
        {
            "id": n,
            "name": f"user{n}",
            "mail": f"user{n}@example.com",
            "score": round(rng.random() * 100, 2),
            "ok": n % 3 == 0,
        }
        for n in range(200)
    ]
    nested = [
        {"order": f"A-{n}", "lines": [{"sku": f"mug-{n % 9}", "count": n % 5, "price": None}]} for n in range(150)
    ]
    prose = " ".join(rng.choice(words) for _ in range(4000))
    log = [
        f"{rng.choice(stamp)} INFO worker-{n % 7} req={rng.getrandbits(48):012x} done in {rng.randrange(999)} ms"
        for n in range(300)
    ]
    access = [
        f'10.0.{rng.randrange(256)}.{rng.randrange(256)} - "GET /api/v1/orders/{rng.randrange(9999)} HTTP/1.1" 200 {rng.randrange(99999)}'
        for _ in range(300)
    ]
    listing = [
        f"-rw-r--r-- 1 user staff {rng.randrange(99999):6d} Mar {rng.randrange(1, 29):2d} 10:{rng.randrange(10, 60)} mod_{n}.py"
        for n in range(200)
    ]
    return {
        "English: docstrings": docstrings("argparse", "statistics", "subprocess", "decimal", "inspect"),
        "English: common words": prose,
        "Python: argparse": source("argparse"),
        "Python: turtle": source("turtle"),
        "Python: unittest.mock": source("unittest.mock"),
        "unified diff": "".join(difflib.unified_diff(old, new)),
        "traceback": failing(3) * 10,
        "JSON: tool calls": "\n".join(
            json.dumps({"tool": "read_file", "input": {"path": f"src/mod_{n}.py", "start": n}}) for n in range(200)
        ),
        "JSON: compact": json.dumps(records, separators=(",", ":")),
        "JSON: nested, indent 2": json.dumps(nested, indent=2),
        "JSON: nested, indent 4": json.dumps(nested, indent=4),
        "log lines": "\n".join(log),
        "access log": "\n".join(access),
        "CSV: numbers": table([n, n * 37 % 101, round(n / 7, 3), round(n / 13, 6)] for n in range(500)),
        "CSV: words": table(
            [n, rng.choice(words), rng.choice(stamp), rng.choice(["open", "closed"])] for n in range(500)
        ),
        "directory listing": "\n".join(listing),
        "hashes": "\n".join(f"{rng.getrandbits(256):064x}  src/file_{n}.py" for n in range(100)),
        "base64": base64.b64encode(rng.randbytes(3000)).decode(),
        "German": "Die Schleife endet, wenn das Modell keine Werkzeuge mehr aufruft; alles andere ist Technik drumherum. "
        * 5,
        "Turkish": "Model araç çağırmayı bıraktığında döngü biter; geri kalan her şey onun çevresindeki mühendisliktir. "
        * 5,
        "Russian": "Цикл кончается, когда модель больше не вызывает инструменты; остальное — инженерия вокруг него. "
        * 5,
        "Chinese": "当模型不再调用工具时，循环就结束了；其余的一切都是围绕它的工程。" * 5,
        "Arabic": "تنتهي الحلقة عندما لا يستدعي النموذج أي أداة أخرى، وكل ما عدا ذلك هندسة حولها. " * 5,
        "emoji and boxes": "✅ pass ❌ fail 🚀 deploy ┌────┬────┐ │ a  │ b  │ └────┴────┘ " * 5,
    }


def microseconds(call: Callable[[], object], repeats: int) -> float:
    best = min(_timed(call, repeats) for _ in range(5))
    return best / repeats * 1e6


def _timed(call: Callable[[], object], repeats: int) -> float:
    started = perf_counter()
    for _ in range(repeats):
        call()
    return perf_counter() - started


def main() -> None:
    counters = tokenizers()
    texts = samples()
    print(f"{'text':<26}{'chars':>8}" + "".join(f"{name:>14}{'ratio':>8}" for name in TABLES))
    for name, text in texts.items():
        guess = estimate(text)
        counts = [count(text) for count in counters.values()]
        print(f"{name:<26}{len(text):>8}" + "".join(f"{true:>14}{guess / true:>8.2f}" for true in counts))
    kilo = texts["Python: argparse"][:1000]
    line = 'ACTION: lookup_population {"city": "Paris"} and then the sum'
    print(f"\n1 kB of source: {microseconds(lambda: estimate(kilo), 500):.1f} µs")
    print(f"{len(line)} characters: {microseconds(lambda: estimate(line), 5000):.2f} µs")


if __name__ == "__main__":
    main()
