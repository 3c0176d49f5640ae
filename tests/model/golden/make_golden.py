#!/usr/bin/env python3
"""Writes figures.json: tiny models computed from the equations of docs/models.md, independently of src/model.

usage: make_golden.py > figures.json

Standard library only, one number at a time, one sentence at a time. catalogue.py, catalogue_kinds.py,
catalogue_grids.py, catalogue_lexical.py and catalogue_bideep.py say which models, parameters.py what their weights are.
"""
import json

from catalogue import MODELS
from catalogue_bideep import BIDEEP_MODELS
from catalogue_grids import MODELS_OF_GRIDS, SENTENCES_OF_GRIDS
from catalogue_kinds import MODELS_OF_KINDS
from catalogue_lexical import MODELS_WITH_LEXICAL
from model import Model

SENTENCES = [([4, 6, 5], [5, 4]), ([7], [6, 6, 4, 7]), ([], [])]
DECIMALS = 12  # the test allows 1e-9


def rounded(value):
    if isinstance(value, float):
        return round(value, DECIMALS)
    if isinstance(value, list):
        return [rounded(part) for part in value]
    if isinstance(value, dict):
        return {name: rounded(part) for name, part in value.items()}
    return value


def figures_of(config):
    has_features = "source" in config
    source_size = config["source"]["size"] if has_features else 8
    target_size = 8 if config["tied_embeddings"] == "all" else 9
    model = Model(config, source_size, target_size)
    sentences = [rounded(model.translate(source, target))
                 for source, target in (SENTENCES_OF_GRIDS if has_features else SENTENCES)]
    return {"config": config, "source_size": source_size, "target_size": target_size,
            "parameters": model.parameters.shapes, "sentences": sentences}


def main():
    models = {**MODELS, **MODELS_OF_KINDS, **MODELS_OF_GRIDS, **MODELS_WITH_LEXICAL, **BIDEEP_MODELS}
    lines = [f"{json.dumps(name)}: {json.dumps(figures_of(config))}" for name, config in models.items()]
    print("{\n" + ",\n".join(lines) + "\n}")


if __name__ == "__main__":
    main()
