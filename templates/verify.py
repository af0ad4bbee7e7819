# /// script
# requires-python = ">=3.11"
# dependencies = [$dependencies]
# ///
"""Counts $dataset at $revision again."""
#: http
import os
import urllib.request
#: git
import subprocess
#: end
import csv, gzip, io, json, sys
#: list nested
import ast
#: prefixes letter
import re
#: end

FILES = $files
SLICES = $slices


def load(address):
#: http
    request = urllib.request.Request(address)
    if os.environ.get("HF_TOKEN"):  # a private dataset needs it; it is not handed on to another host
        request.add_unredirected_header("Authorization", "Bearer " + os.environ["HF_TOKEN"])
    data = urllib.request.urlopen(request).read()
#: git
    clone, sha, path = address
    data = subprocess.run(["git", "-C", clone, "show", sha + ":" + path], capture_output=True, check=True).stdout
#: file
    data = open(address, "rb").read()
#: end
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def rows(data):
#: parquet
    if data[:4] == b"PAR1":
        import pyarrow.parquet

        file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(data), pre_buffer=False)
        return file.read(use_threads=False).to_pylist()  # no thread of its own may outlive the script
#: end
    text = data.decode("utf-8-sig")
#: json
    if text.lstrip()[:1] in "[{":
        try:
            found = json.loads(text, parse_float=str)
        except ValueError:
            return [json.loads(line, parse_float=str) for line in text.split("\n") if line.strip()]
        if isinstance(found, dict):
            found = next(v for v in found.values() if isinstance(v, list) and v and isinstance(v[0], dict))
        return found
#: end
    csv.field_size_limit(sys.maxsize)
    table = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t|", key=text.split("\n", 1)[0].count))
    names = [name.strip() for name in next(table)]
    return [dict(zip(names, (cell or None for cell in row))) for row in table if row]


#: list nested
def literal(cell):
    if not isinstance(cell, str):
        return cell
    try:
        return json.loads(cell, parse_float=str, parse_int=str)
    except ValueError:
        return ast.literal_eval(cell)


#: nested
def value(row, name):
    """A column, or a place inside one that a dotted name reaches."""
    while isinstance(row, dict) and name not in row:
        owner = max((n for n in row if name.startswith(n + ".")), key=len, default=None)
        if owner is None:
            return None
        row, name = literal(row[owner]), name[len(owner) + 1 :]
    return row.get(name) if isinstance(row, dict) else None


#: flat
def value(row, name):
    return row.get(name)


#: end
def text(cell):
    return cell if cell is None or isinstance(cell, str) else json.dumps(cell)


def item(row):
    """Options and the position of gold; None where the row is no single-gold item."""
#: fallback
    gold = value(row, $gold) or value(row, $fallback)
#: gold
    gold = value(row, $gold)
#: turn
    gold, wrong = turn(gold), [turn(value(row, name)) for name in $distractors]
#: apart
    wrong = [value(row, name) for name in $distractors]
#: distractor-lists
    wrong = [text(option) for cell in wrong if cell for option in literal(cell)]
#: separated
    wrong = [piece.strip() for cell in wrong if cell for piece in cell.split($separator) if piece.strip()]
#: apart turn
    options = [text(gold), *(option for option in wrong if option)]
    return (options, 0) if gold and len(options) > 1 else None
#: columns
    options = [text(value(row, name)) or None for name in $options]
#: options-separated
    options = [piece.strip() for piece in (value(row, $column) or "").split($separator) if piece.strip()]
#: option-list
    options = [text(option) for option in literal(value(row, $column)) or []]
#: labels
    options = literal(value(row, $column)) or []
    if isinstance(options, list):
        options = {key: [option[key] for option in options] for key in ("text", "label")} if options else {}
    labels, options = [str(o) for o in options.get("label") or options], list(options.get("text") or options.values())
#: scores
    scored = literal(value(row, $column)) or {}
    options, scores = list(scored), [str(score) in ("1", "1.0", "True") for score in scored.values()]
    place = scores.index(True) if sum(scores) == 1 else None
#: one-gold
    if isinstance(gold, str) and gold.strip()[:1] == "[":
        gold = literal(gold)
    if isinstance(gold, list):
        gold = gold[0] if len(gold) == 1 else None
    gold = (text(gold) or "").strip(" ") and text(gold)
#: by-label
    place = labels.index(gold.strip()) if gold and gold.strip() in labels else None
#: by-text
    same = [n for n, o in enumerate(options) if o == gold] or [n for n, o in enumerate(options) if o and gold and o.strip() == gold.strip()]
    place = same[0] if gold and same else None
#: by-index
    number = (gold or "").strip().lstrip("+-").replace(".", "", 1).isdecimal() and float(gold)
    place = int(number) - $base if number is not False and number == int(number) else None
#: letter
    letter = re.fullmatch(r"\s*[(\[]?\s*([A-Za-z])\s*[)\]]?\s*[.:]?\s*", gold or "")
    place = ord(letter[1].upper()) - 65 if letter else int(gold) if (gold or "").isdigit() else None
#: place
    if place is None or not 0 <= place < len(options) or options[place] is None:
        return None
#: prefixes
    marks = [re.match(r"\s*[(\[（【]?\s*([A-Za-z])\s*(?:[)\]）】][.:．、：]?|[.:．、：)])\s*", o or "") for o in options]
    if all(mark and ord(mark[1].upper()) - 65 == number for number, mark in enumerate(marks)):
        options = [option[mark.end() :] for option, mark in zip(options, marks)]
#: place
    kept = [option for option in options if option is not None]
    return (kept, place - options[:place].count(None)) if len(kept) > 1 else None
#: end


#: turn
def turn(cell):
    return cell[-1]["content"] if isinstance(cell, list) else cell.rsplit("\n\nAssistant:", 1)[-1]


#: end
counts = {}
for path, address in FILES:
    for row in rows(load(address)):
        try:
            found = item(row)
        except (SyntaxError, ValueError):  # a cell that is no list
            found = None
        if found is None:
            continue
        lengths, gold = [len(option) for option in found[0]], found[1]
        for columns in [[], *SLICES]:
            key = ", ".join(f"{c}={path if c == '@file' else text(value(row, c))}" for c in columns) or "ALL"
            count = counts.setdefault(key, [0, 0, 0, 0, 0])
            count[0] += 1
            for at, extreme in ((1, max(lengths)), (3, min(lengths))):
                count[at] += lengths[gold] == extreme
                count[at + 1] += lengths[gold] == extreme and lengths.count(extreme) == 1
print("slice", "n", "longest", "alone", "shortest", "alone", sep="\t")
for key, count in counts.items():
    print(key, *count, sep="\t")
