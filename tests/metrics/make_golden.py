#!/usr/bin/env python3
"""Writes golden.json: small corpora and their BLEU, chrF and TER, counted the plain way, independently of src/metrics.

usage: make_golden.py > golden.json

Standard library only. The regular expressions of BLEU are those of NIST's mteval-v13a and mteval-v14 scripts, TER is that of
Snover et al. 2006 with tercom's rules for the choice of shifts.
"""
import collections
import itertools
import json
import math
import random
import re
import unicodedata

CORPORA = {
    "numbers and abbreviations": (
        ["It costs $1,234.56 (about 1.100 €), he said.", "The U.S.A. won 3-1 on 12-05-2016.", "Items: 1., 2., 3..."],
        [["It costs $1,234.50 (around 1.100 €), he said.", "The USA won 3-1 on 12-05-2016!", "Items: 1, 2, 3 ..."]]),
    "entities": (
        ["Tom &amp; Jerry said &quot;hi&quot; to a&lt;b&gt;c", "x<skipped>y &amp;lt; z", "no_entity & nothing-else"],
        [["Tom & Jerry said \"hi\" to a<b>c", "xy < z", "no entity and nothing else"]]),
    "two references": (
        ["the cat sat on the mat", "he reads a a book", "", "they are here"],
        [["the cat is sitting on the mat", "he reads the book", "nothing", "they are all here now"],
         ["a cat sat on a mat today", "he is reading a book", "", "here they are"]]),
    "three words at most": (
        ["a b c", "d e", "f"],
        [["a b c", "d x", "f"]]),
    "quotes and dashes of all kinds": (
        ["„Wer?“ – fragte sie… «Toi!» 5½ ≈ 5.5 ②", "Größe: 1\u202f000 m², 20\u00a0°C", "Ça va\u2003bien ? Oui…"],
        [["„Wer?“ — fragte sie ... «Toi !» 5½ ≈ 5,5 ②", "Größe: 1000 m², 20 °C", "Ça va bien ? Oui…"]]),
    "case": (
        ["ÉCOLE ΟΔΟΣ Ärger Straße", "İZMIR ПРИВЕТ Мир ΣΑΣ"],
        [["école οδος ärger straße", "i̇zmir привет мир σας"]]),
    "chinese": (
        ["他说：“你好，世界…”", "价格是3.5元（约0.5美元）。", "𠀀𠀁 abc"],
        [["他说：“你好世界……”", "价格为3.5元(约0.5美元)。", "𠀀𠀁 ab c"]]),
    "words moved": (
        ["b c a d", "on the mat sat the cat", "today we go home , he said", "one two three four five six seven eight"],
        [["a b c d", "the cat sat on the mat", "he said : we go home today", "eight seven six five four three two one"]]),
    "words moved, two references": (
        ["d e a b c", "x y z", "the house is small's end"],
        [["a b c d e", "z x y", "small is the house's end"], ["d a b c e f", "x z y", "the house's end is small"]]),
    "far from the diagonal": (
        [" ".join(f"w{i % 37}" for i in range(90)), "a", " ".join(["x"] * 80 + ["y"] * 3)],
        [[" ".join(f"w{(i * 5) % 41}" for i in range(70)), " ".join("abcdefgh" * 15), "y y y x x"]]),
    "marks at words": (
        ["(hi) \"there\" -- it's 'quoted'; end... ?! a", "don't -stop- ÄÖ, ça? x' 'y ''"],
        [["(hi there) - it is quoted; end. a ?", "do n't stop: ÄÖ ça x 'y'"]]),
    "what a second pass of a tokenizer splits": (
        ["I ate at McDonald's.", "the dog's, the cat's; 1,-2 a.'s", "it's\u00a0his &amp;lt; x's\u00a0", "&amp;quot;'s 5-.-'s,"],
        [["I ate at McDonald's.", "the dog's, the cat's; 1,-2 a.'s", "it's\u00a0his &amp;lt; x's\u00a0", "&amp;quot;'s 5-.-'s,"],
         ["I ate at McDonald 's .", "the dog 's , the cat 's ; 1 , -2 a . 's", "it 's his &lt; x 's", "\" 's 5 -."]]),
    "nothing in common": (["a b c d e", "f"], [["v w x y z", "u"]]),
}

OPTIONS = [{}, {"lowercase": True},
           {"tokenize": "none"}, {"tokenize": "intl"}, {"tokenize": "zh"}, {"tokenize": "char"},
           {"smooth_method": "none"}, {"smooth_method": "floor"}, {"smooth_method": "floor", "smooth_value": 0.03},
           {"smooth_method": "add-k"}, {"smooth_method": "add-k", "smooth_value": 0.5}, {"effective_order": True}]

ASCII_PUNCTUATION = re.escape("".join(chr(c) for c in range(32, 127) if not chr(c).isalnum() and chr(c) not in "',-."))


def western(text):
    text = re.sub("([" + ASCII_PUNCTUATION + "])", r" \1 ", text)
    text = re.sub(r"(\D)([.,])", r"\1 \2 ", text, flags=re.ASCII)
    text = re.sub(r"([.,])(\D)", r" \1 \2", text, flags=re.ASCII)
    return re.sub(r"(\d)(-)", r"\1 \2 ", text, flags=re.ASCII)


def mteval_13a(text):
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, character in (("quot", '"'), ("amp", "&"), ("lt", "<"), ("gt", ">")):
        text = text.replace("&" + entity + ";", character)
    return western(f" {text} ")


def mteval_14(text):
    """The classes of the characters stand in for them where the expressions look; '~' is one of no interest."""
    def replaced(text, expression, template):
        classes = "".join(c if c in "NPS" else "~" for c in (unicodedata.category(character)[0] for character in text))
        parts, at = [], 0
        for match in re.finditer(expression, classes):
            pair = text[match.start():match.end()]
            parts += [text[at:match.start()], template(pair)]
            at = match.end()
        return "".join(parts) + text[at:]
    text = replaced(text, "[^N]P", lambda pair: pair[0] + " " + pair[1] + " ")
    text = replaced(text, "P[^N]", lambda pair: " " + pair[0] + " " + pair[1])
    return replaced(text, "S", lambda symbol: " " + symbol + " ")


def chinese(text):
    blocks = [(0x2001, 0x2A6D), (0x2E80, 0x2FDF), (0x2FF0, 0x303F), (0x3100, 0x312F), (0x31A0, 0x31BF),
              (0x31C0, 0x31EF), (0x3200, 0x33FF), (0x3400, 0x4DB5), (0x4E00, 0x9FBB), (0xF900, 0xFA2D),
              (0xFA30, 0xFA6A), (0xFA70, 0xFAD9), (0xFE10, 0xFE1F), (0xFE30, 0xFE4F), (0xFF00, 0xFFEF)]
    return western("".join(f" {c} " if any(a <= ord(c) <= b for a, b in blocks) else c for c in text.strip()))


TOKENIZERS = {"13a": mteval_13a, "none": str, "intl": mteval_14, "zh": chinese, "char": " ".join}


def ngrams(words):
    spans = itertools.combinations(range(len(words) + 1), 2)
    return collections.Counter(tuple(words[i:j]) for i, j in spans if j - i <= 4)


def bleu(hypotheses, references, lowercase=False, tokenize="13a", smooth_method="exp", smooth_value=None,
         effective_order=False):
    def words(text):
        return TOKENIZERS[tokenize]((text.lower() if lowercase else text).rstrip()).split()

    correct, total, length, reference_length = [0] * 4, [0] * 4, 0, 0
    for hypothesis, *lines in zip(hypotheses, *references):
        hypothesis, lines = words(hypothesis), [words(line) for line in lines]
        allowed = collections.Counter()
        for line in lines:
            allowed |= ngrams(line)
        for ngram, count in ngrams(hypothesis).items():
            total[len(ngram) - 1] += count
            correct[len(ngram) - 1] += min(count, allowed[ngram])
        length += len(hypothesis)
        reference_length += min((abs(len(line) - len(hypothesis)), len(line)) for line in lines)[1]

    penalty = 1.0 if length >= reference_length else math.exp(1 - reference_length / length) if length else 0.0
    result = {"counts": correct, "totals": total, "sys_len": length, "ref_len": reference_length, "bp": penalty,
              "precisions": [0.0] * 4, "score": 0.0}
    if not any(correct):
        return result
    value = {"floor": 0.1, "add-k": 1}.get(smooth_method) if smooth_value is None else smooth_value
    misses, order, precisions = 0, 4, [0.0] * 4
    for n in range(4):
        if smooth_method == "add-k" and n > 0:
            correct[n], total[n] = correct[n] + value, total[n] + value
        if total[n] == 0:
            break
        order = n + 1 if effective_order else 4
        precisions[n] = 100.0 * correct[n] / total[n]
        if correct[n] == 0 and smooth_method == "exp":
            misses += 1
            precisions[n] = 100 / (2 ** misses * total[n])
        elif correct[n] == 0 and smooth_method == "floor":
            precisions[n] = 100 * value / total[n]
    result["precisions"] = precisions
    if all(precisions[:order]):
        result["score"] = penalty * math.exp(in_order(map(math.log, precisions[:order])) / order)
    return result


CHRF_OPTIONS = [{}, {"word_order": 2}, {"word_order": 1, "lowercase": True}, {"whitespace": True},
                {"char_order": 3, "beta": 1}, {"beta": 3, "word_order": 2}, {"eps_smoothing": True},
                {"eps_smoothing": True, "word_order": 2, "whitespace": True}]
TER_OPTIONS = [{}, {"case_sensitive": True}, {"normalized": True}, {"no_punct": True},
               {"normalized": True, "no_punct": True}, {"normalized": True, "asian_support": True},
               {"no_punct": True, "asian_support": True},
               {"normalized": True, "no_punct": True, "asian_support": True, "case_sensitive": True}]


def counted(symbols, n):
    return collections.Counter(tuple(symbols[i:i + n]) for i in range(len(symbols) - n + 1))


def f_score(rows, beta, eps_smoothing):
    """The F score of (hypothesis, reference, match) counts, a row for each order."""
    tiny, weight = 1e-16, beta ** 2
    scores, precisions, recalls = [], [], []
    for hypothesis, reference, match in rows:
        precision = match / hypothesis if hypothesis else tiny
        recall = match / reference if reference else tiny
        below = weight * precision + recall
        scores.append((1 + weight) * precision * recall / below if below > 0 else tiny)
        if hypothesis and reference:
            precisions.append(precision)
            recalls.append(recall)
    if eps_smoothing:
        return 100 * in_order(scores) / len(scores)
    if not precisions:
        return 0.0
    precision, recall = in_order(precisions) / len(precisions), in_order(recalls) / len(recalls)
    if precision + recall == 0:
        return 0.0
    return 100 * ((1 + weight) * precision * recall / (weight * precision + recall))


def in_order(values):
    """From left to right; sum() of newer Pythons corrects its rounding."""
    total = 0.0
    for value in values:
        total += value
    return total


def chrf(hypotheses, references, char_order=6, word_order=0, beta=2, lowercase=False, whitespace=False,
         eps_smoothing=False):
    marks = set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")

    def words(text):
        for word in text.split():
            if len(word) > 1 and word[-1] in marks:
                yield from (word[:-1], word[-1])
            elif len(word) > 1 and word[0] in marks:
                yield from (word[0], word[1:])
            else:
                yield word

    def orders(text):
        text = text.lower() if lowercase else text
        characters = text if whitespace else "".join(text.split())
        return ([counted(characters, n + 1) for n in range(char_order)]
                + [counted(list(words(text)), n + 1) for n in range(word_order)])

    sums = [[0, 0, 0] for _ in range(char_order + word_order)]
    for hypothesis, *lines in zip(hypotheses, *references):
        candidates = []
        for line in lines:
            candidates.append([(sum(h.values()) if r else 0, sum(r.values()), sum((h & r).values()))
                               for h, r in zip(orders(hypothesis), orders(line))])
        best = max(candidates, key=lambda rows: f_score(rows, beta, eps_smoothing))
        sums = [[a + b for a, b in zip(total, row)] for total, row in zip(sums, best)]
    return {"score": f_score(sums, beta, eps_smoothing)}


def tercom(text, normalized=False, no_punct=False, asian_support=False, case_sensitive=False):
    text = text.rstrip() if case_sensitive else text.rstrip().lower()
    asian_marks = "[\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09]"
    ideographs = "[\u4e00-\u9fff\u3400-\u4dbf\u31c0-\u31ef\u2e80-\u2eff\u3300-\u33ff\uf900-\ufaff\ufe30-\ufe4f\u3200-\u3f22]"
    if normalized:
        text = text.replace("\n-", "").replace("\n", " ")
        for entity, character in (("quot", '"'), ("amp", "&"), ("lt", "<"), ("gt", ">")):
            text = text.replace("&" + entity + ";", character)
        text = re.sub("([" + ASCII_PUNCTUATION + "])", r" \1 ", f" {text} ").replace("'s ", " 's ")
        text = re.sub(r"(\D)([.,])", r"\1 \2 ", text, flags=re.ASCII)
        text = re.sub(r"([.,])(\D)", r" \1 \2", text, flags=re.ASCII)
        text = re.sub(r"(\d)(-)", r"\1 \2 ", text, flags=re.ASCII)
        if asian_support:
            text = re.sub(f"({ideographs}|{asian_marks})", r" \1 ", text)
        text = " ".join(text.split())
    if no_punct:
        text = re.sub(r'[.,?:;!"()]', "", text)
        text = re.sub(asian_marks, "", text) if asian_support else text
    return text


def edit_matrix(words, reference):
    """{(i, j): (cost, step)} within 25 columns of the diagonal."""
    ratio = len(reference) / len(words) if words else 1
    width = math.ceil(ratio / 2 + 25) if ratio / 2 > 25 else 25
    cells = {(0, j): (j, "insert") for j in range(len(reference) + 1)}
    nothing = (math.inf, None)
    for i in range(1, len(words) + 1):
        middle = math.floor(i * ratio)
        last = len(reference) + 1 if i == len(words) else min(len(reference) + 1, middle + width)
        for j in range(max(0, middle - width), last):
            options = [(cells.get((i - 1, j), nothing)[0] + 1, 1, "remove")]
            if j > 0:
                equal = words[i - 1] == reference[j - 1]
                options.append((cells.get((i - 1, j - 1), nothing)[0] + (not equal), 0, "match" if equal else "replace"))
                options.append((cells.get((i, j - 1), nothing)[0] + 1, 2, "insert"))
            cost, _, step = min(options)
            cells[i, j] = (cost, step)
    return cells


def shifted(words, start, length, target):
    moved, rest = words[start:start + length], words[:start] + words[start + length:]
    place = target if target <= start + length else target - length
    return rest[:place] + moved + rest[place:]


def shifts(words, reference, cells):
    """(length, start, target, words) of the shifts that tercom tries; None where the limit is looked at."""
    place, wrong, missing = {}, set(), set()
    i, j = len(words), len(reference)
    while i or j:
        step = cells[i, j][1]
        if step != "remove":
            place[j - 1] = i - 1
            missing |= {j - 1} if step != "match" else set()
        if step != "insert":
            wrong |= {i - 1} if step != "match" else set()
        i, j = i - (step != "insert"), j - (step != "remove")
    for start, begin in itertools.product(range(len(words)), range(len(reference))):
        if abs(start - begin) > 50:
            continue
        for length in range(1, 11):
            if words[start:start + length] != reference[begin:begin + length] or max(
                    start + length - len(words), begin + length - len(reference)) > 0:
                break
            if (wrong.isdisjoint(range(start, start + length)) or missing.isdisjoint(range(begin, begin + length))
                    or start <= place[begin] < start + length):
                continue
            targets = [0 if k < 0 else place[k] + 1 for k in range(begin - 1, begin + length)]
            for target, _ in itertools.groupby(targets):
                yield length, start, target, shifted(words, start, length, target)
            yield None


def edits(words, reference):
    if not reference:
        return len(words)
    done, tried = 0, 0
    while True:
        cells = edit_matrix(words, reference)
        cost = cells[len(words), len(reference)][0]
        best = None
        for shift in shifts(words, reference, cells):
            if shift is None:
                if tried >= 1000:
                    break
                continue
            tried += 1
            length, start, target, moved = shift
            gain = cost - edit_matrix(moved, reference)[len(words), len(reference)][0]
            best = max(best or ((0,), None), ((gain, length, -start, -target), moved), key=lambda pair: pair[0])
        if tried >= 1000 or best is None or best[0][0] <= 0:
            return done + cost
        done, words = done + 1, best[1]


def ter(hypotheses, references, **options):
    changes, length = 0, 0.0
    for hypothesis, *lines in zip(hypotheses, *references):
        # sacreBLEU tokenizes references twice: what the first pass separates, the second may split again.
        lines = [tercom(tercom(line, **options), **options).split() for line in lines]
        changes += min(edits(tercom(hypothesis, **options).split(), line) for line in lines)
        length += sum(map(len, lines)) / len(lines)
    return {"score": 100 * (changes / length if length else float(changes > 0)), "num_edits": changes,
            "ref_length": length}


def random_sentences(seed, count, lengths, words):
    """Hypotheses made of pieces of their references in another order, some of them spoilt."""
    draw = random.Random(seed)
    hypotheses, references = [], []
    for _ in range(count):
        reference = [f"w{draw.randrange(words)}" for _ in range(draw.choice(lengths))]
        cuts = sorted(draw.sample(range(len(reference) + 1), min(4, len(reference) + 1)))
        pieces = [reference[a:b] for a, b in zip([0] + cuts, cuts + [len(reference)])]
        draw.shuffle(pieces)
        hypothesis = [word if draw.random() < 0.85 else f"w{draw.randrange(words)}" for piece in pieces for word in piece
                      if draw.random() < 0.95]
        hypotheses.append(" ".join(hypothesis))
        references.append(" ".join(reference))
    return hypotheses, [references]


CORPORA["random words"] = random_sentences(1, 60, range(1, 45), 60)
CORPORA["random words that repeat"] = random_sentences(2, 30, range(1, 40), 6)
CORPORA["random words of long sentences"] = random_sentences(3, 6, range(60, 80), 80)
CORPORA["random words of very long sentences"] = random_sentences(4, 2, range(130, 140), 150)


def scored(metric, all_options, hypotheses, references):
    return [{"metric": metric.__name__, "options": options, **metric(hypotheses, references, **options)}
            for options in all_options]


def main():
    def dump(value):
        return json.dumps(value, ensure_ascii=False)

    cases = []
    for name, (hypotheses, references) in CORPORA.items():
        few = 1 if name.startswith("random") else None  # what these texts have none of makes no difference
        scores = (scored(bleu, OPTIONS[:few], hypotheses, references)
                  + scored(chrf, CHRF_OPTIONS[:few], hypotheses, references)
                  + scored(ter, TER_OPTIONS[:few], hypotheses, references))
        cases.append(f'{{"name": {dump(name)},\n "hypotheses": {dump(hypotheses)},\n'
                     f' "references": {dump(references)},\n "scores": [\n'
                     + ",\n".join("  " + dump(score) for score in scores) + "]}")
    print("[" + ",\n".join(cases) + "]")


if __name__ == "__main__":
    main()
