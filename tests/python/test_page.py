"""The Python programs of docs/python.md run, one after the other, each in a fresh namespace."""

import pathlib
import re
import unittest

page = (pathlib.Path(__file__).resolve().parents[2] / "docs/python.md").read_text()


class Page(unittest.TestCase):
    def test_programs(self):
        programs = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
        self.assertGreater(len(programs), 1)
        for program in programs:
            if "import torch" in program:
                try:
                    import torch  # noqa: F401
                except ImportError:
                    continue
            with self.subTest(program):
                exec(compile(program, "docs/python.md", "exec"), {})


if __name__ == "__main__":
    unittest.main()
