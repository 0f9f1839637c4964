"""versions.py SOURCE_DIR: every file that has the library's version has that of myblas.h, and
agrees with the others on whether it is released. A version is released if the changelog has a
section for it."""

import json
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])
failures = 0


def text_of(path):
    return (source / path).read_text()


def expect(condition, what):
    global failures
    if not condition:
        print("not so:", what)
        failures += 1


header = text_of("include/myblas/myblas.h")
version = ".".join(
    re.search(rf"define MYBLAS_VERSION_{part} +(\d+)", header)[1]
    for part in ("MAJOR", "MINOR", "PATCH")
)
for path, pattern in (
    ("recipe/recipe.yaml", r'^  version: "(.*?)"'),
    ("recipe/spack/spack_repo/myblas/packages/myblas/package.py", r'^    version\("(.*?)"'),
    ("CITATION.cff", r"^version: (.*)$"),
):
    found = re.findall(pattern, text_of(path), re.MULTILINE)
    expect(found == [version], f"{path} has version {version}: {found}")
port = json.loads(text_of("recipe/vcpkg/myblas/vcpkg.json"))
expect(port["version"] == version, f"vcpkg.json has version {version}: {port['version']}")

sections = re.findall(r"^## (.*)$", text_of("CHANGELOG.md"), re.MULTILINE)
released = [section.split()[0] for section in sections if section != "Unreleased"]
expect(
    sections[0] == "Unreleased" or released[0].split("-")[0] == version,
    f"the changelog's newest section is that of {version}, or Unreleased: {sections[0]}",
)
none_released = "Nothing has been released yet."
for path in ("CHANGELOG.md", "SECURITY.md"):
    says_none = none_released in text_of(path)
    expect(says_none == (not released), f'{path} says "{none_released}" while there is no release')
# A citation's date is that of the release.
has_date = "date-released:" in text_of("CITATION.cff")
expect(not has_date or released, "CITATION.cff has no date before the first release")
sys.exit(failures > 0)
