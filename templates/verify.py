# /// script
# requires-python = ">=3.11"
# dependencies = [$dependencies]
# ///
"""Counts $dataset at $revision again, without benchaudit. A private dataset needs HF_TOKEN."""
import ast, csv, gzip, io, json, os, re, subprocess, sys, urllib.request

FILES = $files
MAP = $mapping
SLICES = $slices
SEPARATOR = MAP["separator"]
csv.field_size_limit(sys.maxsize)


def load(address):
    if address.startswith("git:"):
        _, clone, sha, path = address.split(":", 3)
        data = subprocess.run(["git", "-C", clone, "show", f"{sha}:{path}"], capture_output=True, check=True).stdout
    elif address.startswith(("http://", "https://")):
        request = urllib.request.Request(address)
        if os.environ.get("HF_TOKEN"):
            request.add_unredirected_header("Authorization", f"Bearer {os.environ['HF_TOKEN']}")
        data = urllib.request.urlopen(request).read()
    else:
        data = open(address, "rb").read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def rows(data):
    if data[:4] == b"PAR1":
        import pyarrow.parquet

        return pyarrow.parquet.read_table(io.BytesIO(data)).to_pylist()
    text = data.decode("utf-8-sig")
    if text.lstrip()[:1] == "[":
        return json.loads(text, parse_float=str)
    if text.lstrip()[:1] == "{":
        try:
            return [json.loads(line, parse_float=str) for line in text.split("\n") if line.strip()]
        except ValueError:
            document = json.loads(text, parse_float=str)
            return next(v for v in document.values() if isinstance(v, list) and v and isinstance(v[0], dict))
    table = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t|", key=text.split("\n", 1)[0].count))
    names = [name.strip() for name in next(table)]
    return [dict(zip(names, [cell or None for cell in row])) for row in table if row]


def value(row, name):
    while isinstance(row, dict) and name not in row:
        owner = max((n for n in row if name.startswith(n + ".")), key=len, default=None)
        if owner is None:
            return None
        row, name = literal(row[owner]), name[len(owner) + 1 :]
    return row.get(name) if isinstance(row, dict) else None


def literal(cell):
    if not isinstance(cell, str):
        return cell
    try:
        return json.loads(cell, parse_float=str, parse_int=str)
    except ValueError:
        return ast.literal_eval(cell)


def text(cell):
    return cell if cell is None or isinstance(cell, str) else json.dumps(cell)


def listed(cell):
    """Options of one cell, their labels and scores."""
    if SEPARATOR:
        return [piece.strip() for piece in cell.split(SEPARATOR) if piece.strip()], None, None
    cell = literal(cell)
    if isinstance(cell, list) and cell and isinstance(cell[0], dict):
        cell = {key: [option[key] for option in cell] for key in ("text", "label")}
    if isinstance(cell, dict) and isinstance(cell.get("text"), list):
        return [text(o) for o in cell["text"]], cell.get("label"), None
    if isinstance(cell, dict):
        scores = [str(score) for score in cell.values()]
        if all(re.fullmatch(r"[-+.\deE]+|True|False", score) for score in scores):
            return list(cell), None, [score in ("1", "1.0", "True") for score in scores]
        return list(cell.values()), list(cell), None
    return [text(option) for option in cell], None, None


def item(row):
    """Options and the position of gold, or None where the row is no single-gold item."""
    gold = value(row, MAP["gold"]) if MAP["gold"] else None
    if MAP["distractors"]:
        cells = [value(row, name) for name in MAP["distractors"]]
        if MAP["last_turn"]:
            gold, cells = turn(gold), [turn(cell) for cell in cells]
        lists = SEPARATOR or MAP["lists"]
        wrong = [o for c in cells if c for o in (listed(c)[0] if lists or isinstance(c, list) else [c])]
        return ([gold, *(option for option in wrong if option is not None)], 0) if gold else None
    labels = scores = None
    if len(MAP["options"]) > 1:
        options = [text(value(row, name)) or None for name in MAP["options"]]
    else:
        cell = value(row, MAP["options"][0])
        options, labels, scores = listed(cell) if cell else ([], None, None)
    place = position(gold, options, labels, scores)
    if place is None or options[place] is None:
        return None
    marks = [re.match(r"\s*[(\[（【]?\s*([A-Za-z])\s*(?:[)\]）】][.:．、：]?|[.:．、：)])\s*", o or "") for o in options]
    if all(mark and ord(mark[1].upper()) - 65 == number for number, mark in enumerate(marks)):
        options = [option[mark.end() :] for option, mark in zip(options, marks)]
    kept = [option for option in options if option is not None]
    return kept, place - options[:place].count(None)


def turn(cell):
    return cell[-1]["content"] if isinstance(cell, list) else cell.rsplit("\n\nAssistant:", 1)[-1]


def position(gold, options, labels, scores):
    encoding = MAP["encoding"]
    if encoding == "scores" and scores is not None:
        return scores.index(True) if sum(scores) == 1 else None
    if isinstance(gold, str) and gold.lstrip()[:1] == "[":
        gold = literal(gold)
    if isinstance(gold, list):
        gold = gold[0] if len(gold) == 1 else None
    if gold is None or not str(gold).strip():
        return None
    gold = text(gold)
    if encoding == "text":
        same = [n for n, o in enumerate(options) if o == gold] or [
            n for n, o in enumerate(options) if o is not None and o.strip() == gold.strip()
        ]
        return same[0] if same else None
    if encoding == "labels":
        return labels.index(gold.strip()) if gold.strip() in labels else None
    if re.fullmatch(r"[+-]?\d+(\.0+)?", gold.strip()):
        place = int(float(gold)) - (encoding == "index1")
    else:
        letter = re.fullmatch(r"\s*[(\[]?\s*([A-Za-z])\s*[)\]]?\s*[.:]?\s*", gold)
        place = ord(letter[1].upper()) - 65 if letter else -1
    return place if 0 <= place < len(options) else None


counts = {}
for path, address in FILES:
    for row in rows(load(address)):
        found = item(row)
        if found is None or len(found[0]) < 2:
            continue
        lengths, gold = [len(option) for option in found[0]], found[1]
        for columns in [[], *SLICES]:
            key = ", ".join(f"{c}={path if c == '@file' else text(value(row, c))}" for c in columns) or "ALL"
            count = counts.setdefault(key, [0] * 5)
            count[0] += 1
            for extreme, at in ((max(lengths), 1), (min(lengths), 3)):
                count[at] += lengths[gold] == extreme
                count[at + 1] += lengths[gold] == extreme and lengths.count(extreme) == 1
print("slice", "n", "longest", "alone", "shortest", "alone", sep="\t")
for key, count in counts.items():
    print(key, *count, sep="\t")
