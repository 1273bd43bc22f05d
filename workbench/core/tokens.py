"""How many tokens a text costs, without a tokenizer's table.

Byte-pair encoders first cut a text into pieces, and most pieces of ordinary text are one token. So a pattern that cuts
about as they do, with words no longer than a common token, counts tokens by counting matches. Against cl100k_base and
o200k_base the estimate is 0.9 to 1.3 times the true count on English, source code, JSON, logs, tables, tracebacks and
diffs; 0.65 to 0.8 on base64 and on languages of long words such as German; 0.9 and more, up to 2.5, on other scripts.
`tests/bench/bench_tokens.py` prints the table.
"""

from __future__ import annotations

import re

_PIECES = re.compile(
    r"[A-Z]?[a-z]{1,8}"  # a word, or the first token of a long one
    r"|[!-/:-@\[-`{-~]{1,3}"  # ASCII punctuation
    r"|[A-Z]{1,4}"
    r"|[0-9]{1,3}"
    r"|\n\s*"  # line ends take the indent after them along
    r"| (?=[0-9])"  # a blank belongs to the word after it, but not to a number
    r"|[^\S\n]{2,}"
    r"|\t"
    r"|[\x80-\u036f\u0400-\u04ff]{1,2}"  # accented Latin and Cyrillic: two letters a token
    r"|[^\x00-\x7f]"
).findall


def estimate(text: str) -> int:
    """Tokens of the text, about; 0 for the empty text. Linear, some 30 µs a kB: count a message once and add up.

    Estimates of two parts add up to that of the whole, give or take two tokens. A provider's own figure, where there
    is one, is better.
    """
    count = len(_PIECES(text))
    if not text.isascii():
        # Characters outside the basic plane (emoji) are two tokens and more; UTF-16 holds each as a pair.
        count += len(text.encode("utf-16-le", "surrogatepass")) // 2 - len(text)
    return count
