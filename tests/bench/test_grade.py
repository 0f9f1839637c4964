"""The grades of myblas-bench: A for this library, worse for wrong libraries that replace it.
"""

import json
import os

import pytest
from runs import start, width_of

WRONG_PRODUCTS = os.environ["WRONG_PRODUCTS"]  # wrong_products.c, by CTest
MODES = {"strict", "emulated", "fast", "reproducible"}
RULES = ("subnormals", "exact", "classes", "same_bits_again", "same_bits_elsewhere")


@pytest.fixture
def grade(tmp_path):
    def run(sizes="16,32,64", **environment):
        file = tmp_path / "grade.json"
        command = "grade --backend host --seed 1 -n".split() + [sizes, "--json", file]
        done = start(*command, **environment)
        cards = {card["contender"]: card for card in json.loads(file.read_text())["results"]}
        return done, cards

    return run


@pytest.fixture
def planted(grade):
    def run(wrong, *sizes):
        # OpenBLAS does not promise the same bits, so a kernel is forced that promises them.
        environment = {"LD_PRELOAD": WRONG_PRODUCTS, "WRONG": wrong}
        done, cards = grade(*sizes, **environment, MYBLAS_SGEMM_KERNEL="reference")
        assert (done.returncode, done.stderr) == (1, "")
        assert "strict breaks a promise of the library" in done.stdout
        return cards["strict"]

    return run


def test_the_library_gets_an_a(grade):
    done, cards = grade("16,33,64,200")
    assert (done.returncode, done.stderr) == (0, "")
    assert width_of(done.stdout) <= 100
    assert MODES <= set(cards)
    for card in map(cards.get, MODES):
        assert (card["grade"], card["arithmetic"], card["keeps_promises"]) == ("A", "O(n^3)", True)
        assert all(card[rule] for rule in RULES[:3])
        assert card["growth"] <= 1
        for name, errors in card["inputs"].items():
            assert errors["element"] <= 1, name
            assert errors["off_class"] == 0, name
    uniform = cards["strict"]["inputs"]["uniform"]
    assert uniform["element"] > 0 and uniform["inexact"] > 0


@pytest.mark.parametrize("wrong, letter, arithmetic", [
    ("fixed", "B", "fixed point"),
    ("strassen", "C", "Strassen"),
    ("tf32", "D", "low prec."),
    ("garbage", "F", "wrong"),
])  # fmt: skip
def test_planted_arithmetic_gets_a_worse_grade(planted, wrong, letter, arithmetic):
    card = planted(wrong)
    assert (card["grade"], card["arithmetic"]) == (letter, arithmetic)


@pytest.mark.parametrize("wrong, broken", [
    ("flushes", {"subnormals"}),
    ("skips", {"classes"}),
    ("reads", {"classes"}),
    ("unordered", {"same_bits_again", "same_bits_elsewhere"}),
])
def test_planted_breaches_of_single_rules(planted, wrong, broken):
    card = planted(wrong)
    assert (card["grade"], {rule for rule in RULES if not card[rule]}) == ("A", broken)


def test_errors_of_strassen_grow_faster(grade, planted):
    sizes = "16,32,64,128,256"
    right = grade(sizes)[1]["strict"]
    assert planted("strassen", sizes)["growth"] > right["growth"] + 0.3
