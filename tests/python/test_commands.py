"""The commands of python -m myblas, and the message of myblas.enable()."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import myblas


def run(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


class Commands(unittest.TestCase):
    def test_usage(self):
        self.assertEqual(run("-m", "myblas", "--help").returncode, 0)
        without = run("-m", "myblas")
        self.assertEqual((without.returncode, without.stdout), (2, ""))
        self.assertIn("usage: python -m myblas", without.stderr)
        self.assertIn("no command is called 'frobnicate'", run("-m", "myblas", "frobnicate").stderr)
        self.assertEqual(run("-m", "myblas", "version").stdout.strip(), myblas.__version__)

    def test_tools(self):
        self.assertIn("usage", run("-m", "myblas", "run", "--help").stdout.lower())
        self.assertEqual(run("-m", "myblas", "run", "--", "sh", "-c", "exit 7").returncode, 7)
        self.assertNotIn("not there", run("-m", "myblas", "doctor").stdout)
        self.assertEqual(run("-m", "myblas", "bench", "--nonsense").returncode, 2)

    def test_kernelspec(self):
        with tempfile.TemporaryDirectory() as folder:
            for options, environment, base in (
                (["--prefix", folder], {}, "share/jupyter"),
                (["--user"], {"JUPYTER_DATA_DIR": folder + "/data"}, "data"),
                (
                    ["--user"],
                    {"JUPYTER_DATA_DIR": "", "XDG_DATA_HOME": folder + "/xdg"},
                    "xdg/jupyter",
                ),
            ):
                answer = run("-m", "myblas", "kernelspec", *options, **environment)
                self.assertEqual(answer.returncode, 0, answer.stderr)
                file = pathlib.Path(folder) / base / "kernels/myblas/kernel.json"
                self.assertIn(str(file), answer.stdout)
                specification = json.loads(file.read_text())
                self.assertEqual(specification["language"], "python")

            # The command that Jupyter starts: NumPy's products are served in it.
            command = specification["argv"]
            at = command.index("-m")
            self.assertEqual(command[at:], ["-m", "ipykernel_launcher", "-f", "{connection_file}"])
            program = "import myblas; myblas.enable()"
            started = subprocess.run(
                [*command[:at], "-c", program], stderr=subprocess.PIPE, text=True
            )
            self.assertEqual(started.returncode, 0, started.stderr)

            (pathlib.Path(folder) / "file").write_text("")
            refused = run("-m", "myblas", "kernelspec", "--prefix", folder + "/file")
            self.assertEqual(refused.returncode, 1)
            self.assertIn("--user", refused.stderr)


class Enable(unittest.TestCase):
    def test_names_the_line(self):
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "script.py"
            script.write_text("import myblas\nmyblas.enable()\nprint('served')\n")
            refused = run(str(script), "two words")
            self.assertEqual(refused.returncode, 1)
            line = f"myblas-run -- {os.path.basename(sys.executable)} {script} 'two words'"
            self.assertIn(line, refused.stderr)
            # The line works as it is printed.
            package = pathlib.Path(myblas.__file__).parent
            served = subprocess.run(
                ["sh", "-c", line],
                stdout=subprocess.PIPE,
                text=True,
                env={
                    **os.environ,
                    "PATH": f"{package}/bin:{os.path.dirname(sys.executable)}:{os.environ['PATH']}",
                },
            )
            self.assertEqual(served.stdout, "served\n")

    def test_cublas_alone_is_not_enough(self):
        answer = run(
            "-m",
            "myblas",
            "run",
            "--cublas",
            "--",
            sys.executable,
            "-c",
            "import myblas; myblas.enable()",
        )
        self.assertIn("cannot be exchanged", answer.stderr)


if __name__ == "__main__":
    unittest.main()
