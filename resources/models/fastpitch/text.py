"""English text to token numbers: the symbols of NVIDIA's `english_basic` set, and plain rules for what is no word."""

from __future__ import annotations

import re
import unicodedata


def _words(text: str) -> list[str]:
    return text.split()


#: ARPAbet: vowels come without stress and with 0, 1, 2.
_VOWELS = _words("AA AE AH AO AW AY EH ER EY IH IY OW OY UH UW")
_CONSONANTS = _words("B CH D DH F G HH JH K L M N NG P R S SH T TH V W Y Z ZH")
_PHONES = sorted([vowel + stress for vowel in _VOWELS for stress in ("", "0", "1", "2")] + _CONSONANTS)

#: The place of a symbol is its token number; 0 is padding. Phones have numbers and are not produced by `to_tokens`.
SYMBOLS = [
    "_",
    "-",
    *"!'(),.:;? ",
    *"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    *"abcdefghijklmnopqrstuvwxyz",
    *(f"@{phone}" for phone in _PHONES),
]
_NUMBERS = {symbol: number for number, symbol in enumerate(SYMBOLS) if number > 0}

_ABBREVIATIONS = {
    "mr": "mister", "mrs": "misess", "ms": "miss", "dr": "doctor", "st": "saint", "no": "number",
    "co": "company", "jr": "junior", "sr": "senior", "maj": "major", "gen": "general", "lt": "lieutenant",
    "col": "colonel", "capt": "captain", "sgt": "sergeant", "rev": "reverend", "hon": "honorable",
    "esq": "esquire", "ltd": "limited", "etc": "et cetera",
}  # fmt: skip
#: "no." is mostly the end of a sentence; it is "number" before digits only.
_ABBREVIATION = re.compile(rf"\b(?:({'|'.join(n for n in _ABBREVIATIONS if n != 'no')})\.|(no)\.(?= ?\d))")

_ONES = _words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = _words("_ _ twenty thirty forty fifty sixty seventy eighty ninety")
_ORDINALS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip
_NUMBER = re.compile(r"(\d+)(st|nd|rd|th)?(?:\.(\d+))?")
_SCALES = ((10**9, "billion"), (10**6, "million"), (1000, "thousand"), (100, "hundred"))


def cardinal(number: int) -> str:
    """In words, below 10**12."""
    if number < 20:
        return _ONES[number]
    if number < 100:
        return _TENS[number // 10] + ("" if number % 10 == 0 else f" {_ONES[number % 10]}")
    scale, name = next((scale, name) for scale, name in _SCALES if number >= scale)
    rest = number % scale
    return f"{cardinal(number // scale)} {name}" + ("" if rest == 0 else f" {cardinal(rest)}")


def _year(number: int) -> str:
    """Four digits are read in pairs, as years are, unless they are whole thousands or begin a thousand."""
    high, low = divmod(number, 100)
    if not 1000 < number < 3000 or number % 1000 < 10:
        return cardinal(number)
    if low == 0:
        return f"{cardinal(high)} hundred"
    return f"{cardinal(high)} " + (f"oh {_ONES[low]}" if low < 10 else cardinal(low))


def _ordinal(number: int) -> str:
    head, _, last = cardinal(number).rpartition(" ")
    last = _ORDINALS.get(last) or (f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")
    return f"{head} {last}".strip()


def _spoken(match: re.Match[str]) -> str:
    digits, suffix, decimals = match.groups()
    if len(digits) > 12:
        return " ".join(_ONES[int(digit)] for digit in digits)
    number = int(digits)
    if suffix is not None:
        words = _ordinal(number)
    else:
        words = _year(number) if len(digits) == 4 and decimals is None else cardinal(number)
    return words + ("" if decimals is None else " point " + " ".join(_ONES[int(d)] for d in decimals))


def clean(text: str) -> str:
    """Plain ASCII in lower case: abbreviations and numbers in words, no other signs than the symbols have."""
    plain = unicodedata.normalize(
        "NFKD", text.translate({0x2018: "'", 0x2019: "'", 0x2013: "-", 0x2014: "-"})
    )
    plain = plain.encode("ascii", "ignore").decode("ascii").lower()
    plain = _ABBREVIATION.sub(lambda found: _ABBREVIATIONS[found.group(1) or found.group(2)], plain)
    plain = re.sub(r"\$(\d+(?:,\d{3})*(?:\.\d+)?)", r"\1 dollars", plain)
    # With a comma it is an amount and no year.
    plain = re.sub(r"\d{1,3}(?:,\d{3}){1,3}\b", lambda found: cardinal(int(found[0].replace(",", ""))), plain)
    plain = _NUMBER.sub(_spoken, plain).replace("%", " percent").replace("&", " and ")
    return " ".join("".join(letter if letter in _NUMBERS else " " for letter in plain).split())


def to_tokens(text: str) -> list[int]:
    """Token numbers of the cleaned text. Raises ValueError when nothing is left of it."""
    tokens = [_NUMBERS[letter] for letter in clean(text)]
    if not tokens:
        raise ValueError(f"The text {text!r} has nothing that can be spoken")
    return tokens
