"""Trains a recurrent model with attention as a loop in PyTorch does, and prints target tokens per second.

    loop.py BATCHES.json STRUCTURE.json

The model is that of docs/models.md, written as one writes it in PyTorch: the encoder is one nn.GRU or nn.LSTM over
packed sequences, keys and values are projected once, a decoder that needs no attention between its steps is one nn.GRU or
nn.LSTM too and attends to the source in all steps at once, and the layer before the output, the output and the loss are
computed for all steps together and for no padding. BATCHES.json: [[source ids of a sentence, target ids]] in a batch,
in batches. STRUCTURE.json: the members of Structure.
"""

import dataclasses
import json
import math
import sys
import time

import torch
from torch import nn
from torch.nn import functional


@dataclasses.dataclass
class Structure:
    cell: str  # gru or lstm
    attention: str
    before: bool  # attends with the state before the step, as Bahdanau et al., rather than after it, as Luong et al.
    input_feeding: bool
    bidirectional: bool
    pieces: int
    embedding: int = 256
    hidden: int = 512
    attention_size: int = 512
    readout: int = 512
    heads: int = 8
    groups: int = 2
    window: int = 10
    positions: int = 100
    dropout: float = 0.2
    label_smoothing: float = 0.1
    average: float = 0.997
    threads: int = 2
    warmup: int = 3
    device: str = "cpu"
    tf32: bool = False  # on a GPU, factors of products rounded to TF32

    @property
    def annotation(self):
        return self.hidden * (2 if self.bidirectional else 1)

    @property
    def key_heads(self):
        return {"multi_head": self.heads, "multi_query": 1, "grouped_query": self.groups}.get(self.attention, 1)

    @property
    def has_values(self):
        return self.attention in ("scaled_dot", "multi_head", "multi_query", "grouped_query")

    @property
    def context(self):
        return self.attention_size if self.has_values else self.annotation


def linear(source, target):
    return nn.Linear(source, target, bias=False)


class Attention(nn.Module):
    """Queries [B,T,H] to contexts [B,T,C]."""

    def __init__(self, of):
        super().__init__()
        self.of = of
        size = of.attention_size
        if of.attention in ("additive", "concat"):
            self.query = linear(of.hidden, size)
            self.key = linear(of.annotation, size)
            self.score = linear(size, 1)
        elif of.attention in ("general", "local_m", "local_p"):
            self.key = linear(of.annotation, of.hidden)
        elif of.attention == "location":
            self.query = linear(of.hidden, of.positions)
        elif of.has_values:
            heads = of.heads if of.attention != "scaled_dot" else 1
            width = size // heads
            self.query = linear(of.hidden, size)
            self.key = linear(of.annotation, of.key_heads * width)
            self.value = linear(of.annotation, of.key_heads * width)
            self.output = linear(size, size) if heads > 1 else nn.Identity()
            self.number, self.width = heads, width
        if of.attention == "local_p":
            self.position = linear(of.hidden, of.hidden)
            self.predict = linear(of.hidden, 1)

    def in_heads(self, x):
        """[B,S,g*w] to [B,g,1,S,w], where queries have [B,g,n/g,T,w]."""
        return x.view(x.size(0), x.size(1), self.of.key_heads, -1, self.width).permute(0, 2, 3, 1, 4)

    def prepare(self, annotations, lengths):
        self.annotations, self.lengths = annotations, lengths
        places = torch.arange(annotations.size(1), device=annotations.device)
        self.places = places
        self.padding = annotations.new_zeros(annotations.size(0), 1, annotations.size(1))
        self.padding.masked_fill_(places >= lengths.view(-1, 1, 1), -math.inf)
        if self.of.has_values:
            self.keys, self.values = self.in_heads(self.key(annotations)), self.in_heads(self.value(annotations))
        elif self.of.attention == "dot":
            self.keys = annotations
        elif self.of.attention != "location":
            self.keys = self.key(annotations)

    def scores(self, queries):
        if self.of.attention in ("additive", "concat"):
            hidden = torch.tanh(self.query(queries).unsqueeze(2) + self.keys.unsqueeze(1))
            return self.score(hidden).squeeze(3)
        if self.of.attention == "location":
            return self.query(queries)[:, :, : self.annotations.size(1)]
        return queries @ self.keys.transpose(1, 2)

    def forward(self, queries, first_step):
        if self.of.has_values:
            heads = self.in_heads(self.query(queries))
            scores = heads @ self.keys.transpose(3, 4) / math.sqrt(self.width)
            weights = functional.softmax(scores + self.padding[:, None, None], 4)
            seen = (weights @ self.values).permute(0, 3, 1, 2, 4).flatten(2)
            return self.output(seen)
        scores = self.scores(queries) + self.padding
        if self.of.attention not in ("local_m", "local_p"):
            return functional.softmax(scores, 2) @ self.annotations
        lengths = self.lengths.view(-1, 1, 1)
        if self.of.attention == "local_m":
            steps = torch.arange(first_step, first_step + queries.size(1), device=queries.device).view(1, -1, 1)
            centre = torch.minimum(steps, lengths - 1)
        else:
            centre = lengths * torch.sigmoid(self.predict(torch.tanh(self.position(queries))))
        distance = self.places - centre
        weights = functional.softmax(scores.masked_fill(distance.abs() > self.of.window, -math.inf), 2)
        if self.of.attention == "local_p":
            weights = weights * torch.exp(-(distance**2) * (2 / self.of.window**2))
        return torch.nan_to_num(weights) @ self.annotations


class Model(nn.Module):
    def __init__(self, of):
        super().__init__()
        self.of = of
        self.source_embedding = nn.Embedding(of.pieces, of.embedding)
        self.target_embedding = nn.Embedding(of.pieces, of.embedding)
        layer = {"gru": nn.GRU, "lstm": nn.LSTM}[of.cell]
        unit = {"gru": nn.GRUCell, "lstm": nn.LSTMCell}[of.cell]
        self.encoder = layer(of.embedding, of.hidden, batch_first=True, bidirectional=of.bidirectional)
        states = 2 if of.cell == "lstm" else 1
        self.initial = nn.Linear(of.annotation, states * of.hidden)
        self.attention = Attention(of)
        if of.before:
            self.decoder = unit(of.embedding + of.context, of.hidden)
        elif of.input_feeding:
            self.decoder = unit(of.embedding + of.readout, of.hidden)
        else:
            self.decoder = layer(of.embedding, of.hidden, batch_first=True)
        self.readout = nn.Linear(of.hidden + of.context + (of.embedding if of.before else 0), of.readout)
        self.output = nn.Linear(of.readout, of.pieces)
        self.dropout = nn.Dropout(of.dropout)

    def encode(self, source, lengths, lengths_on_host):
        words = self.dropout(self.source_embedding(source))
        packed = nn.utils.rnn.pack_padded_sequence(words, lengths_on_host, batch_first=True, enforce_sorted=False)
        annotations, _ = nn.utils.rnn.pad_packed_sequence(self.encoder(packed)[0], batch_first=True)
        annotations = self.dropout(annotations)
        start = torch.tanh(self.initial(annotations.sum(1) / lengths.unsqueeze(1)))
        return annotations, start.chunk(2, 1) if self.of.cell == "lstm" else start

    def steps(self, words, state):
        """What the layer before the output reads [B,T,...] or, with input feeding, that layer [B,T,R]."""
        read = []
        feed = words.new_zeros(words.size(0), self.of.readout)
        for step, word in enumerate(words.unbind(1)):
            hidden = state[0] if self.of.cell == "lstm" else state
            if self.of.before:
                context = self.attention(hidden.unsqueeze(1), step).squeeze(1)
                state = self.decoder(torch.cat([word, context], 1), state)
                hidden = state[0] if self.of.cell == "lstm" else state
                read.append(torch.cat([hidden, context, word], 1))
            else:
                state = self.decoder(torch.cat([word, feed], 1), state)
                hidden = state[0] if self.of.cell == "lstm" else state
                context = self.attention(hidden.unsqueeze(1), step).squeeze(1)
                feed = torch.tanh(self.readout(torch.cat([hidden, context], 1)))
                read.append(feed)
        return torch.stack(read, 1)

    def forward(self, source, lengths_on_host, previous, target, is_word):
        source_lengths = lengths_on_host.to(source.device)
        annotations, state = self.encode(source, source_lengths, lengths_on_host)
        self.attention.prepare(annotations, source_lengths)
        words = self.dropout(self.target_embedding(previous))
        if self.of.before or self.of.input_feeding:
            read = self.steps(words, state)[is_word]
        else:
            first = tuple(x.unsqueeze(0).contiguous() for x in state) if self.of.cell == "lstm" else state.unsqueeze(0)
            hidden = self.decoder(words, first)[0]
            read = torch.cat([hidden, self.attention(hidden, 0)], 2)[is_word]
        if self.of.before or not self.of.input_feeding:
            read = torch.tanh(self.readout(read))
        logits = self.output(self.dropout(read))
        return functional.cross_entropy(logits, target[is_word], label_smoothing=self.of.label_smoothing)


def padded(sentences):
    return nn.utils.rnn.pad_sequence([torch.tensor(sentence) for sentence in sentences], batch_first=True)


def tensors_of(batch, device):
    source, target = [pair[0] for pair in batch], [pair[1] for pair in batch]
    bos = 2
    lengths = torch.tensor([len(sentence) for sentence in target])
    right = padded(target)
    is_word = torch.arange(right.size(1)) < lengths.unsqueeze(1)
    return (
        padded(source).to(device),
        torch.tensor([len(sentence) for sentence in source]),
        padded([[bos] + sentence[:-1] for sentence in target]).to(device),
        right.to(device),
        is_word.to(device),
    )


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        batches = json.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        structure = Structure(**json.load(file))
    torch.set_num_threads(structure.threads)
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = structure.tf32
    model = Model(structure).to(structure.device)
    weights = list(model.parameters())
    average = [weight.detach().clone() for weight in weights]
    optimizer = torch.optim.Adam(weights, lr=0.0015)
    tokens, began, loss = 0, 0.0, None
    for update, batch in enumerate(batches):
        if update == structure.warmup:
            if loss is not None:
                loss.item()  # waits for the device
            began = time.perf_counter()
        loss = model(*tensors_of(batch, structure.device))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        with torch.no_grad():
            for mean, weight in zip(average, weights):
                mean.lerp_(weight, 1 - structure.average)
        if update >= structure.warmup:
            tokens += sum(len(target) for _, target in batch)
    if not math.isfinite(loss.item()):
        sys.exit("the loss is not a number")
    seconds = time.perf_counter() - began
    print(json.dumps({"tokens_per_second": tokens / seconds, "parameters": sum(w.numel() for w in weights), "loss": loss.item()}))


if __name__ == "__main__":
    main()
