"""How outputs are compared with those that are expected, as the workbench does. Python 3.8 and later, no other package.

The rules are numbers, text, ranks and detections; both sides of them are tested by one file of vectors.
"""

import array
import json
import math
import re
import struct
import sys

ARRAY_CODES = {
    "BOOL": "B",
    "UINT8": "B",
    "UINT16": "H",
    "UINT32": "I",
    "UINT64": "Q",
    "INT8": "b",
    "INT16": "h",
    "INT32": "i",
    "INT64": "q",
    "FP32": "f",
    "FP64": "d",
}
#: What JavaScript takes for white space, on both sides of the workbench.
SPACE = re.compile("[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+")


class CheckError(Exception):
    """What a check found, in words."""


def element_bytes(datatype):
    return 2 if datatype in ("FP16", "BF16") else array.array(ARRAY_CODES[datatype]).itemsize


def texts_of(tensor):
    """Elements of a BYTES tensor; bytes that are no text keep their difference."""
    data, texts, at = tensor["data"], [], 0
    while at < len(data):
        if at + 4 > len(data):
            raise CheckError(f"{tensor['name']}: an element of BYTES is cut off")
        end = at + 4 + struct.unpack_from("<I", data, at)[0]
        if end > len(data):
            raise CheckError(f"{tensor['name']}: an element of BYTES is cut off")
        element = bytes(data[at + 4 : end])
        try:
            texts.append(element.decode("utf-8"))
        except UnicodeDecodeError:
            texts.append("0x" + element.hex())
        at = end
    if len(texts) != math.prod(tensor["shape"]):
        raise CheckError(f"{tensor['name']} has {len(texts)} elements, which is not BYTES {tensor['shape']}")
    return texts


def values_of(tensor):
    """Numbers of a tensor; its bytes are little-endian."""
    datatype, data = tensor["datatype"], tensor["data"]
    if datatype not in ARRAY_CODES and datatype not in ("FP16", "BF16"):
        raise CheckError(f"{tensor['name']}: {datatype} has no numeric values")
    count = math.prod(tensor["shape"])
    if len(data) != count * element_bytes(datatype):
        raise CheckError(f"{tensor['name']} has {len(data)} bytes, which is not {datatype} {tensor['shape']}")
    if datatype == "FP16":
        return struct.unpack(f"<{count}e", data)
    if datatype == "BF16":
        halves = array.array("H", data)
        if sys.byteorder == "big":
            halves.byteswap()
        return struct.unpack(f"<{count}f", b"".join(struct.pack("<HH", 0, half) for half in halves))
    values = array.array(ARRAY_CODES[datatype], data)
    if sys.byteorder == "big":
        values.byteswap()
    return values


def number_difference(name, pairs, rule):
    """|expected - found| <= atol + rtol * |expected|. NaN agrees with nothing, an infinity with its equal only."""
    outside, odd, finite, count, largest = 0, 0, 0, 0, 0.0
    for value, found in pairs:
        count += 1
        both = math.isfinite(value) and math.isfinite(found)
        finite += both
        if found == value or (rule.get("equalNan") and math.isnan(value) and math.isnan(found)):
            continue
        difference = abs(value - found)
        if both and difference <= rule["atol"] + rule["rtol"] * abs(value):
            continue
        outside += 1
        odd += not both
        largest = max(largest, math.inf if math.isnan(difference) else difference)
    # The share is of pairs of finite values: no share permits others to differ.
    if odd == 0 and outside <= rule.get("maxMismatch", 0) * finite:
        return None
    return f"{name} differs by up to {largest:.3g} in {outside} of {count} values"


def _number(text):
    return float(text) + 0.0


def _refused(constant):
    raise ValueError(constant)


def _json_form(text):
    """Members of objects in one order, numbers in one form; what is not JSON stays as it is."""
    try:
        value = json.loads(text, parse_int=_number, parse_float=_number, parse_constant=_refused)
        return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return text


def normalized(text, ignore):
    if "json" in ignore:
        text = _json_form(text)
    if "case" in ignore:
        text = text.lower()
    return SPACE.sub(" ", text).strip(" ") if "whitespace" in ignore else text


def text_difference(name, expected, found, ignore):
    wanted, got = texts_of(expected), texts_of(found)
    differing = [
        at for at, text in enumerate(wanted) if normalized(text, ignore) != normalized(got[at], ignore)
    ]
    if not differing:
        return None
    at = differing[0]
    return (
        f"{name} differs in {len(differing)} of {len(wanted)} texts, the first is {got[at][:60]!r} "
        f"where {wanted[at][:60]!r} is expected"
    )


def rank_difference(name, expected, found, rule):
    wanted, got = values_of(expected), values_of(found)
    if any(math.isnan(value) for values in (wanted, got) for value in values):
        return f"{name} has NaN, which has no rank"
    width = expected["shape"][-1] if expected["shape"] else 1
    rows = 0 if width == 0 else len(wanted) // width
    size = min(rule["top"], width)
    differing = 0
    for row in range(rows):
        before, after = (list(values[row * width : (row + 1) * width]) for values in (wanted, got))
        # The highest first; of equal ones the first.
        top, other = (
            sorted(range(width), key=lambda column, values=values: (-values[column], column))[:size]
            for values in (before, after)
        )
        # Equal values may change places at the edge of the highest.
        same = sum(column in top or before[column] == before[top[-1]] for column in other)
        differing += same < rule.get("overlap", 1) * size - 1e-9
    return None if differing == 0 else f"{name}: the {size} highest of {differing} of {rows} rows are others"


def _box(values, form):
    a, b, c, d = values
    if form == "xywh":
        return (a, b, a + c, b + d)
    return (a - c / 2, b - d / 2, a + c / 2, b + d / 2) if form == "cxcywh" else (a, b, c, d)


def overlap_of(one, other):
    """Intersection over union; two equal boxes have 1, also without an area."""
    if one == other:
        return 1.0

    def area(box):
        return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])

    inner = (max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3]))
    whole = area(one) + area(other) - area(inner)
    return area(inner) / whole if whole > 0 else 0.0


def _column(outputs, name, rows):
    tensor = next((output for output in outputs if output["name"] == name), None)
    if tensor is None:
        raise CheckError(f"the output {name} of the same detections is missing")
    values = texts_of(tensor) if tensor["datatype"] == "BYTES" else values_of(tensor)
    if rows is not None and len(values) != rows:
        raise CheckError(f"{name} has {len(values)} values for {rows} boxes")
    return values


def detections_of(name, outputs, rule):
    """(box, label, score) of one sample; label and score are None where the rule names none."""
    boxes = next((output for output in outputs if output["name"] == name), None)
    if boxes is None:
        raise CheckError(f"{name} is missing")
    width = boxes["shape"][-1] if boxes["shape"] else 0
    if width < max(3, rule.get("labelColumn", 0), rule.get("scoreColumn", 0)) + 1:
        raise CheckError(f"{name} has rows of {width} columns")
    values = values_of(boxes)
    rows = len(values) // width
    columns = {
        key: None if rule.get(key) is None else _column(outputs, rule[key], rows)
        for key in ("labels", "scores")
    }
    counted = rows if rule.get("count") is None else int(_column(outputs, rule["count"], None)[0])
    if not 0 <= counted <= rows:
        raise CheckError(f"{rule['count']} says {counted} of {rows} detections")
    found = []
    for row in range(counted):
        own = values[row * width : (row + 1) * width]

        def beside(key, column, own=own, row=row):
            if columns[key] is not None:
                return columns[key][row]
            return None if rule.get(column) is None else own[rule[column]]

        score = beside("scores", "scoreColumn")
        if rule.get("minScore") is None or score is None or score >= rule["minScore"]:
            found.append((_box(tuple(own[:4]), rule.get("boxes")), beside("labels", "labelColumn"), score))
    return found


def matched(candidates):
    """How many can have a partner at the same time. @param candidates: by one, the others that may be the same"""
    owner, partner = {}, {}
    for one in range(len(candidates)):
        reached_from, queue, end = {}, [one], None
        while queue and end is None:
            current = queue.pop()
            for other in candidates[current]:
                if other in reached_from:
                    continue
                reached_from[other] = current
                if other not in owner:
                    end = other
                    break
                queue.append(owner[other])
        while end is not None:
            current = reached_from[end]
            before = partner.get(current)
            owner[end], partner[current], end = current, end, before
    return len(partner)


def detection_difference(name, expected, found, rule):
    """Boxes in any order, each with one partner of the same label, near score and enough overlap."""
    wanted, got = (detections_of(name, outputs, rule) for outputs in (expected, found))

    def fits(one, other):
        near = (
            one[2] is None or other[2] is None or abs(one[2] - other[2]) <= rule.get("scoreTolerance", 0.05)
        )
        return one[1] == other[1] and near and overlap_of(one[0], other[0]) >= rule.get("iou", 0.5)

    pairs = matched([[at for at, other in enumerate(got) if fits(one, other)] for one in wanted])
    if pairs == len(wanted) == len(got):
        return None
    return f"{name}: {pairs} of {len(wanted)} detections have a partner among {len(got)}"


def rule_difference(name, expected, found, rule):
    """One output of one sample by its rule; None: it agrees. The outputs are all of that sample."""
    if rule["by"] == "detections":
        return detection_difference(name, expected, found, rule)
    one, other = (
        next((output for output in outputs if output["name"] == name), None) for outputs in (expected, found)
    )
    if one is None or other is None:
        return f"{name} is missing"
    if one["datatype"] != other["datatype"] or list(one["shape"]) != list(other["shape"]):
        return f"{name} is {other['datatype']} {other['shape']} where {one['datatype']} {one['shape']} is expected"
    if one["datatype"] == "BYTES":
        if rule["by"] == "ranks":
            return f"{name} has texts, which have no rank"
        return text_difference(name, one, other, rule.get("ignore", []))
    if rule["by"] == "ranks":
        return rank_difference(name, one, other, rule)
    exact = {"atol": 0, "rtol": 0}
    pairs = zip(values_of(one), values_of(other))
    return number_difference(name, pairs, rule if rule["by"] == "numbers" else exact)


def tolerance_rule(check, output):
    """What the tolerances of a run say of one output; `*` is every output without its own, else 0."""
    return {key: check[key].get(output, check[key].get("*", 0)) for key in ("atol", "rtol", "maxMismatch")}


def valid_length(name, lengths, outputs):
    """How many values of the last axis count; None where no other output says it."""
    other = next((output for output in outputs if output["name"] == lengths.get(name)), None)
    if other is None:
        return None
    values = values_of(other)
    return int(values[0]) if len(values) > 0 else 0


def output_difference(expected, served, check, valid):
    """What of one output is not as the framework gave it; None: it is within the tolerances of the run."""
    name = expected["name"]
    wanted, got = values_of(expected), values_of(served)
    counts = [len(wanted) if valid[0] is None else valid[0], len(got) if valid[1] is None else valid[1]]
    if counts[0] != counts[1]:
        return f"{name} has {counts[1]} values where {counts[0]} are expected"
    axis = expected["shape"][-1] if expected["shape"] else 1
    served_axis = served["shape"][-1] if served["shape"] else 1
    width = axis if valid[0] is None else min(valid[0], axis)
    rows = 0 if axis == 0 else len(wanted) // axis

    def pairs():
        for row in range(rows):
            for column in range(width):
                at = row * served_axis + column
                # What is not there is not a number.
                there = column < served_axis and at < len(got)
                yield wanted[row * axis + column], got[at] if there else math.nan

    return number_difference(name, pairs(), tolerance_rule(check, name))


def row_of(tensor, row):
    width = len(tensor["data"]) // max(1, tensor["shape"][0])
    return dict(tensor, shape=[1, *tensor["shape"][1:]], data=tensor["data"][row * width : (row + 1) * width])


def answer_difference(wanted, outputs, check, lengths):
    """What of the answer to one request is not as the framework gave it; None: nothing."""
    for expected in wanted:
        name = expected["name"]
        if all(output["name"] != name for output in outputs):
            return f"{name} is missing"
        # Each sample has a length of its own.
        rows = range(expected["shape"][0]) if name in lengths else [None]
        for row in rows:
            own, got = (
                tensors if row is None else [row_of(tensor, row) for tensor in tensors]
                for tensors in (wanted, outputs)
            )
            one, other = (next(item for item in tensors if item["name"] == name) for tensors in (own, got))
            valid = [valid_length(name, lengths, own), valid_length(name, lengths, got)]
            difference = output_difference(one, other, check, valid)
            if difference is not None:
                return difference
    return None


def golden_difference(wanted, outputs, rules):
    """What of the answer to one request is not as the golden file has it; None: nothing."""
    names = {tensor["name"] for tensor in wanted}
    found = (rule_difference(name, wanted, outputs, rule) for name, rule in rules.items() if name in names)
    return next((difference for difference in found if difference is not None), None)
