"""bill.py BUILD_DIR ROOT VERSION: the checksums and the bill of materials beside the packages in
BUILD_DIR are right. The packages were unpacked into ROOT."""

import hashlib
import json
import pathlib
import re
import subprocess
import sys

build, root, version = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
failures = 0


def expect(condition, what):
    global failures
    if not condition:
        print("not so:", what)
        failures += 1


# Checksums of each package and of the bill.
sums = dict(line.split("  ")[::-1] for line in (build / "SHA256SUMS").read_text().splitlines())
debs = sorted(path.name for path in build.glob("*.deb"))
expect(sorted(sums) == sorted([*debs, "myblas.spdx.json"]), f"the files in SHA256SUMS: {sums}")
for name, value in sums.items():
    actual = hashlib.sha256((build / name).read_bytes()).hexdigest()
    expect(actual == value, f"the checksum of {name} is {actual}")

# The form of the bill.
bill = json.loads((build / "myblas.spdx.json").read_text())
expect(bill["spdxVersion"] == "SPDX-2.3" and bill["dataLicense"] == "CC0-1.0", "SPDX 2.3")
expect(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", bill["creationInfo"]["created"]), "a time")
expect(bill["documentNamespace"].startswith("https://"), "the namespace is an address")
ids = [package["SPDXID"] for package in bill["packages"]]
expect(len(ids) == len(set(ids)), f"identifiers are unique: {ids}")
for identifier in ids:
    expect(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", identifier), f"an identifier: {identifier}")
relations = {
    (r["spdxElementId"], r["relationshipType"], r["relatedSpdxElement"])
    for r in bill["relationships"]
}
for relation in relations:
    known = {*ids, "SPDXRef-DOCUMENT"}
    expect({relation[0], relation[2]} <= known, f"both ends are in the bill: {relation}")
for identifier in ids:
    related = any(identifier in (a, b) for a, _, b in relations)
    expect(related, f"{identifier} is related to something")

# The packages themselves.
by_name = {package["name"]: package for package in bill["packages"]}
expect(("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-myblas") in relations, "it describes myblas")
expect(by_name["myblas"]["versionInfo"] == version, f"the version of myblas is {version}")
expect(by_name["myblas"]["licenseDeclared"] == "MIT", "the licence of myblas is MIT")
for deb in debs:
    name = deb.split("_")[0]
    found = by_name.get(name, {})
    expect(found.get("packageFileName") == deb, f"{deb} is in the bill")
    expect(found.get("versionInfo") == f"{version}-1", f"the version of {name} is {version}-1")
    values = [c["checksumValue"] for c in found.get("checksums", [])]
    expect(values == [sums.get(deb)], f"the checksum of {deb} in the bill")

# Every shared library that a file needs, and the components of the tools' C++ files.
needed = set()
for path in root.rglob("*"):
    if path.is_file() and not path.is_symlink() and path.open("rb").read(4) == b"\x7fELF":
        command = ["readelf", "--wide", "--dynamic", path]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        needed |= set(re.findall(r"\(NEEDED\).*\[(.*)\]", text))
expect({"libc.so.6", "libmyblas.so.1"} <= needed, f"the files need libc and libmyblas: {needed}")
for library in needed:
    expect(library in by_name, f"{library}, which a file needs, is in the bill")
linked = {b for a, kind, b in relations if kind == "STATIC_LINK"}
for name in ("libstdc++", "libgcc", "CLI11", "fmt"):
    found = by_name.get(name, {"SPDXID": ""})
    expect(found["SPDXID"] in linked, f"{name} is linked")
    expect(re.match(r"\d+\.\d+", found.get("versionInfo", "")), f"{name} has a version")
sys.exit(failures > 0)
