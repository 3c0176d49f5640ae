#!/usr/bin/env python3
"""Writes optimizers.json: ten updates of a small model by PyTorch's own optimisers.

usage: make_optimizers.py > optimizers.json

Needs PyTorch (Debian: python3-torch), which the tests do not. Everything is float64. The model has 37 weights in one
vector: two layers, y = v . tanh(U x + b) + c, with U [6,4], b [6], v [6], c [1], and the mean squared error over eight
rows. optimizer_golden_test.cpp computes the same.
"""
import json

import torch

UPDATES = (1, 3, 10)  # after which the weights are written
DECIMALS = 12


def loss_of(weights):
    u, b, v, c = weights[:24].view(6, 4), weights[24:30], weights[30:36], weights[36]
    rows = torch.arange(8, dtype=torch.float64).unsqueeze(1)
    x = torch.sin(1.3 * rows + 0.9 * torch.arange(4, dtype=torch.float64))
    y = torch.cos(2.1 * rows.squeeze(1))
    return (torch.tanh(x @ u.t() + b) @ v + c - y).pow(2).mean()


def adam(weights, key):
    kind = torch.optim.AdamW if key["type"] == "adamw" else torch.optim.Adam
    decay = key.get("weight_decay", 0.0) if key["type"] == "adamw" else key.get("l2", 0.0)
    return kind([weights], lr=key["learning_rate"], betas=(key.get("beta1", 0.9), key.get("beta2", 0.999)),
                eps=key.get("epsilon", 1e-8), weight_decay=decay)


def optimizer(weights, key):
    """PyTorch's optimiser for values of the keys training.optimizer.*, with the defaults of config.h."""
    if key["type"] in ("adam", "adamw"):
        return adam(weights, key)
    if key["type"] == "adadelta":
        return torch.optim.Adadelta([weights], lr=key["learning_rate"], rho=key.get("rho", 0.95),
                                    eps=key.get("epsilon", 1e-8), weight_decay=key.get("l2", 0.0))
    return torch.optim.SGD([weights], lr=key["learning_rate"], momentum=key.get("momentum", 0.0),
                           weight_decay=key.get("l2", 0.0))


CASES = {
    "sgd": {"type": "sgd", "learning_rate": 0.3},
    "sgd_l2": {"type": "sgd", "learning_rate": 0.3, "l2": 0.01},
    "sgd_momentum": {"type": "sgd", "learning_rate": 0.1, "momentum": 0.9},
    "sgd_momentum_l2": {"type": "sgd", "learning_rate": 0.1, "momentum": 0.99, "l2": 0.1},
    "adadelta": {"type": "adadelta", "learning_rate": 1.0, "epsilon": 1e-6},
    "adadelta_rho_l2": {"type": "adadelta", "learning_rate": 0.5, "rho": 0.5, "epsilon": 1e-4, "l2": 0.01},
    "adam": {"type": "adam", "learning_rate": 0.01},
    "adam_l2": {"type": "adam", "learning_rate": 0.01, "l2": 0.1},
    "adam_large_epsilon": {"type": "adam", "learning_rate": 0.01, "epsilon": 0.1},
    "adam_no_memory": {"type": "adam", "learning_rate": 0.01, "beta1": 0.0, "beta2": 0.0},
    "adam_long_memory": {"type": "adam", "learning_rate": 0.01, "beta1": 0.99, "beta2": 0.99999},
    "adam_longest_memory": {"type": "adam", "learning_rate": 0.01, "beta1": 0.999999, "beta2": 0.99999999},
    "adamw": {"type": "adamw", "learning_rate": 0.01, "weight_decay": 0.3},
    "adamw_long_memory": {"type": "adamw", "learning_rate": 0.05, "beta2": 0.999999, "weight_decay": 0.01},
}


def figures_of(key):
    weights = (0.6 * torch.sin(0.7 * torch.arange(37, dtype=torch.float64) + 1.0)).requires_grad_(True)
    updates = optimizer(weights, key)
    after = {}
    for update in range(1, max(UPDATES) + 1):
        updates.zero_grad()
        loss_of(weights).backward()
        updates.step()
        if update in UPDATES:
            after[str(update)] = [round(value, DECIMALS) for value in weights.tolist()]
    return {"optimizer": key, "weights": after}


def main():
    lines = [f"{json.dumps(name)}: {json.dumps(figures_of(key))}" for name, key in CASES.items()]
    print("{\n" + ",\n".join(lines) + "\n}")


if __name__ == "__main__":
    main()
