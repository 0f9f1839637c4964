"""The grades of myblas-bench: A for this library, worse for wrong libraries that replace it.

    test_grade.py MYBLAS_BENCH WRONG_PRODUCTS_LIBRARY
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH, WRONG_PRODUCTS = sys.argv[1:3]
MODES = {"strict", "emulated", "fast"}
RULES = ("subnormals", "exact", "classes", "same_bits_again", "same_bits_elsewhere")


def grade(wrong=None, *arguments):
    environment = dict(os.environ)
    if wrong:
        # OpenBLAS does not promise the same bits, so a kernel is forced that promises them.
        environment |= {"LD_PRELOAD": WRONG_PRODUCTS, "WRONG": wrong}
        environment["MYBLAS_SGEMM_KERNEL"] = "reference"
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "grade.json"
        command = [BENCH, "grade", "--backend", "host", "--seed", "1", "--json", str(file)]
        command += arguments or ["-n", "16,32,64"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
        cards = {card["contender"]: card for card in json.loads(file.read_text())["results"]}
    return done, cards


class GradeTest(unittest.TestCase):
    def test_the_library_gets_an_a(self):
        done, cards = grade(None, "-n", "16,33,64,200")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)
        self.assertLessEqual(MODES, set(cards))
        for mode in MODES:
            with self.subTest(mode):
                card = cards[mode]
                self.assertEqual((card["grade"], card["arithmetic"]), ("A", "O(n^3)"))
                self.assertTrue(card["keeps_promises"])
                self.assertTrue(all(card[rule] for rule in RULES[:3]))
                self.assertLessEqual(card["growth"], 1)
                for name, errors in card["inputs"].items():
                    self.assertLessEqual(errors["element"], 1, name)
                    self.assertEqual(errors["off_class"], 0, name)
        inputs = cards["strict"]["inputs"]
        self.assertGreater(inputs["uniform"]["element"], 0)
        self.assertGreater(inputs["uniform"]["inexact"], 0)

    def planted(self, wrong, *arguments):
        done, cards = grade(wrong, *arguments)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("strict breaks a promise of the library", done.stdout)
        return cards["strict"]

    def test_planted_arithmetic_gets_a_worse_grade(self):
        for wrong, letter, arithmetic in (
            ("fixed", "B", "fixed point"),
            ("strassen", "C", "Strassen"),
            ("tf32", "D", "low prec."),
            ("garbage", "F", "wrong"),
        ):
            with self.subTest(wrong):
                card = self.planted(wrong)
                self.assertEqual((card["grade"], card["arithmetic"]), (letter, arithmetic))

    def test_planted_breaches_of_single_rules(self):
        for wrong, broken in (
            ("flushes", {"subnormals"}),
            ("skips", {"classes"}),
            ("reads", {"classes"}),
            ("unordered", {"same_bits_again", "same_bits_elsewhere"}),
        ):
            with self.subTest(wrong):
                card = self.planted(wrong)
                self.assertEqual(card["grade"], "A")
                self.assertEqual({rule for rule in RULES if not card[rule]}, broken)

    def test_errors_of_strassen_grow_faster(self):
        sizes = ("-n", "16,32,64,128,256")
        _, right = grade(None, *sizes)
        strassen = self.planted("strassen", *sizes)
        self.assertGreater(strassen["growth"], right["strict"]["growth"] + 0.3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
