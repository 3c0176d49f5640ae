"""From words to a line of text."""


def finish(english, german, mark="."):
    return tidy(english + " " + mark), tidy(german + " " + mark)


def tidy(text):
    """No doubled comma, none before another mark, no blank before a mark, a capital at the start."""
    words = []
    for word in text.split():
        if words and words[-1] == "," and word in (",", ".", "?", "!"):
            words.pop()
        words.append(word)
    text = " ".join(words)
    for mark in ",.?!":
        text = text.replace(" " + mark, mark)
    return text[0].upper() + text[1:]
