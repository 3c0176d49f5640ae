# shellcheck shell=bash
# A small made-up corpus. Source it.

# toy_corpus FOLDER LINES SEED: train.a and train.b with so many lines of random words and the same lines reversed, and
# valid.a and valid.b with the first five of them.
toy_corpus() {
    awk -v lines="$2" -v seed="$3" 'BEGIN {
        srand(seed); n = split("alpha bravo delta echo golf hotel india kilo", words, " ")
        for (line = 0; line < lines; ++line) {
            text = words[int(rand() * n) + 1]
            for (i = int(rand() * 8); i > 0; --i) text = text " " words[int(rand() * n) + 1]
            print text
        }
    }' >"$1/train.a"
    rev "$1/train.a" >"$1/train.b"
    local side
    for side in a b; do
        head -n 5 "$1/train.$side" >"$1/valid.$side"
    done
}
