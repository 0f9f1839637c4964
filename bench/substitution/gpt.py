"""A small GPT in FP32, and its training on made-up text, for python_worker.py."""

import copy
import time

import torch
from torch import nn

WIDTH, HEADS, LAYERS, LENGTH, BATCH, WORDS = 768, 12, 4, 512, 8, 4096
STEPS = 20
SHAPE = f"{LAYERS} layers of {WIDTH}, {HEADS} heads, {BATCH} x {LENGTH} tokens of {WORDS}"


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before_attention, self.before_layers = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.query_key_value, self.after = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.layers = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)
        )

    def forward(self, x):
        parts = self.query_key_value(self.before_attention(x)).unflatten(-1, (3, HEADS, -1))
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        attended = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.after(attended.transpose(1, 2).flatten(-2))
        return x + self.layers(self.before_layers(x))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.last = nn.LayerNorm(WIDTH)
        for embedding in (self.words, self.places):
            nn.init.normal_(embedding.weight, std=0.02)

    def forward(self, tokens, following):
        x = self.words(tokens) + self.places.weight
        logits = self.last(self.blocks(x)) @ self.words.weight.T
        return nn.functional.cross_entropy(logits.flatten(0, 1), following.flatten())


def text(count):
    """Batches in which each word is followed by one of four others."""
    choices = torch.randint(WORDS, (WORDS, 4))
    words = torch.empty(count, BATCH, LENGTH + 1, dtype=torch.int64)
    words[..., 0] = torch.randint(WORDS, (count, BATCH))
    chosen = torch.randint(4, words.shape)
    for i in range(LENGTH):
        words[..., i + 1] = choices[words[..., i], chosen[..., i]]
    return words.cuda()


class Training:
    def __init__(self, is_compiled, dtype=torch.float32):
        torch.manual_seed(1)
        self.model = Gpt().cuda().to(dtype)
        self.start = copy.deepcopy(self.model.state_dict())
        self.loss = torch.compile(self.model) if is_compiled else self.model
        self.text = text(STEPS)

    def run(self):
        """Trains from the start: the seconds of a step, and the losses."""
        self.model.load_state_dict(self.start)
        optimizer = torch.optim.AdamW(self.model.parameters(), lr=3e-4, fused=True)
        losses = []
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for words in self.text:
            optimizer.zero_grad()
            loss = self.loss(words[:, :-1], words[:, 1:])
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        torch.cuda.synchronize()
        taken = (time.perf_counter() - begin) / STEPS
        return taken, [float(f"{loss.item():.9g}") for loss in losses]
