"""python -m myblas plot: its pictures, for a Python with matplotlib."""

import contextlib
import io
import json
import pathlib
import tempfile
import unittest
import warnings
import xml.etree.ElementTree

from myblas import _plot

PRODUCT = {"routine": "sgemm", "m": 64, "n": 64, "k": 64, "math": "fast", "time_us": 5.0}
MEASURED = {"gflops": 100.0, "ratio": 2.0, "incumbent": "cublasSgemm"}
CEILINGS = {"fma_gflops": 60000.0, "copy_gbps": 4000.0}


class Pictures(unittest.TestCase):
    def plot(self, *arguments):
        """The status, and what was printed to standard error."""
        errors = io.StringIO()
        with warnings.catch_warnings(), contextlib.redirect_stderr(errors):
            warnings.simplefilter("ignore")  # those of matplotlib and of what it imports
            with contextlib.redirect_stdout(io.StringIO()):
                status = _plot.main([str(argument) for argument in arguments])
        return status, errors.getvalue()

    def test_formats(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            runs = {
                "r.json": ({"gpu": "a GPU", "ceilings": CEILINGS}, [{**PRODUCT, **MEASURED}]),
                "s.json": (
                    {"backend": "host", "ceilings": CEILINGS},
                    [{**PRODUCT, "routine": "sum", "gbps": 10.0}],
                ),
                "times.json": ({"backend": "host"}, [PRODUCT]),
            }
            for file, (context, results) in runs.items():
                (folder / file).write_text(json.dumps({"context": context, "results": results}))

            for file in runs:
                self.assertEqual(self.plot(folder / file), (0, ""))
                picture = (folder / file).with_suffix(".svg")
                self.assertTrue(xml.etree.ElementTree.parse(picture).getroot().tag.endswith("svg"))
            both = self.plot(folder / "r.json", folder / "s.json", "-o", folder / "both.png")
            self.assertEqual(both, (0, ""))
            self.assertTrue((folder / "both.png").read_bytes().startswith(b"\x89PNG"))
            status, message = self.plot(folder / "r.json", "-o", folder / "nowhere" / "r.png")
            self.assertEqual(status, 1)
            self.assertIn("nowhere/r.png: No such file", message)


if __name__ == "__main__":
    unittest.main()
