#!/usr/bin/env python3
"""Writes bleu_golden.json: small corpora and their BLEU, counted the plain way, independently of src/metrics.

usage: make_golden.py > bleu_golden.json

Standard library only. The regular expressions are those of NIST's mteval-v13a and mteval-v14 scripts.
"""
import collections
import itertools
import json
import math
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
    "nothing in common": (["a b c d e", "f"], [["v w x y z", "u"]]),
}

OPTIONS = [{}, {"lowercase": True},
           {"tokenize": "none"}, {"tokenize": "intl"}, {"tokenize": "zh"}, {"tokenize": "char"},
           {"smooth": "none"}, {"smooth": "floor"}, {"smooth": "floor", "value": 0.03}, {"smooth": "add-k"},
           {"smooth": "add-k", "value": 0.5}, {"effective_order": True}]

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


def bleu(hypotheses, references, lowercase=False, tokenize="13a", smooth="exp", value=None, effective_order=False):
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
    result = {"correct": correct, "total": total, "length": length, "reference_length": reference_length,
              "brevity_penalty": penalty, "precisions": [0.0] * 4, "score": 0.0}
    if not any(correct):
        return result
    value = {"floor": 0.1, "add-k": 1.0}.get(smooth) if value is None else value
    misses, order, precisions = 0, 4, [0.0] * 4
    for n in range(4):
        added = value if smooth == "add-k" and n > 0 else 0
        if total[n] + added == 0:
            break
        order = n + 1 if effective_order else 4
        precisions[n] = 100 * (correct[n] + added) / (total[n] + added)
        if correct[n] + added == 0 and smooth == "exp":
            misses += 1
            precisions[n] = 100 / (2 ** misses * total[n])
        elif correct[n] + added == 0 and smooth == "floor":
            precisions[n] = 100 * value / total[n]
    result["precisions"] = precisions
    if all(precisions[:order]):
        result["score"] = penalty * math.exp(sum(math.log(p) for p in precisions[:order]) / order)
    return result


def main():
    def dump(value):
        return json.dumps(value, ensure_ascii=False)

    cases = []
    for name, (hypotheses, references) in CORPORA.items():
        scores = ",\n".join("  " + dump({"options": options, **bleu(hypotheses, references, **options)})
                            for options in OPTIONS)
        cases.append(f'{{"name": {dump(name)},\n "hypotheses": {dump(hypotheses)},\n'
                     f' "references": {dump(references)},\n "scores": [\n{scores}]}}')
    print("[" + ",\n".join(cases) + "]")


if __name__ == "__main__":
    main()
