#!/usr/bin/env python3
"""Writes a software bill of materials of Debian packages of myblas, in SPDX 2.3.

usage: scripts/sbom.py LINKED OUTPUT PACKAGE...

LINKED is build/linked.json, which CMake writes: the version, and what is linked or compiled into
the files. The bill names the packages, these libraries and headers, the shared libraries that the
packages' files need, and the libraries that are loaded if they are there. SOURCE_DATE_EPOCH sets
the time of creation.
"""

import datetime
import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

LICENCE = "MIT"
# Loaded by dlopen where they are installed.
OPTIONAL = {
    "libmyblas1": ["libcuda.so.1", "libopenblas.so.0"],
    "libmyblas-blas": ["libcuda.so.1"],
    "libmyblas-tools": ["libcuda.so.1"],
}
CUDA_LICENCE = {
    "licenseId": "LicenseRef-NVIDIA-CUDA-EULA",
    "name": "End User License Agreement of the NVIDIA CUDA Toolkit",
    "extractedText": "See https://docs.nvidia.com/cuda/eula/ for the version of the CUDA Toolkit.",
    "seeAlsos": ["https://docs.nvidia.com/cuda/eula/"],
}


def spdx_id(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]", "-", name)


def component(name, version=None, licence=None, **more):
    result = {
        "SPDXID": spdx_id(name),
        "name": name,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": licence or "NOASSERTION",
        "licenseDeclared": licence or "NOASSERTION",
        "copyrightText": "NOASSERTION",
        **more,
    }
    if version:
        result["versionInfo"] = version
    return result


def field(package, name):
    command = ["dpkg-deb", "--field", package, name]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def needed_and_provided(package):
    """The shared libraries that a package's files need, and those among the files, by soname."""
    command = ["dpkg-deb", "--fsys-tarfile", package]
    data = subprocess.run(command, check=True, capture_output=True).stdout
    needed, provided = set(), set()
    with tarfile.open(fileobj=io.BytesIO(data)) as files, tempfile.NamedTemporaryFile() as copy:
        for member in files:
            content = files.extractfile(member).read() if member.isfile() else b""
            if not content.startswith(b"\x7fELF"):
                continue
            copy.seek(0)
            copy.truncate()
            copy.write(content)
            copy.flush()
            command = ["readelf", "--wide", "--dynamic", copy.name]
            text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            needed |= set(re.findall(r"\(NEEDED\).*\[(.*)\]", text))
            provided |= set(re.findall(r"\(SONAME\).*\[(.*)\]", text))
    return needed, provided


def bill(linked, packages):
    version = linked["version"]
    copyright_text = re.search(
        r"^Copyright.*$", (pathlib.Path(__file__).parents[1] / "LICENSE").read_text(), re.M
    )[0]
    own = {"copyrightText": copyright_text, "supplier": "Organization: The myblas authors"}
    components = {"myblas": component("myblas", version, LICENCE, **own)}
    relationships = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-myblas")]
    providers, needs = {}, {}
    digests = hashlib.sha256()
    for path in packages:
        name = field(path, "Package")
        digest = hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
        digests.update(digest.encode())
        components[name] = component(
            name,
            field(path, "Version"),
            LICENCE,
            packageFileName=pathlib.Path(path).name,
            checksums=[{"algorithm": "SHA256", "checksumValue": digest}],
            **own,
        )
        relationships.append(("SPDXRef-myblas", "CONTAINS", spdx_id(name)))
        needs[name], provided = needed_and_provided(path)
        providers.update(dict.fromkeys(provided, name))
    for entry in linked["linked"]:
        name = entry["name"]
        components[name] = component(name, entry["version"], entry["licence"])
        relationships += [
            (spdx_id(package), "STATIC_LINK", spdx_id(name)) for package in entry["packages"]
        ]
    for package, libraries in needs.items():
        for library in sorted(libraries):
            if library in providers:
                components[library] = component(library, version, LICENCE, **own)
                contains = (spdx_id(providers[library]), "CONTAINS", spdx_id(library))
                relationships += [contains] if contains not in relationships else []
            components.setdefault(library, component(library))
            relationships.append((spdx_id(package), "DYNAMIC_LINK", spdx_id(library)))
    for package, libraries in OPTIONAL.items():
        for library in libraries:
            components.setdefault(library, component(library))
            relationships.append(
                (spdx_id(library), "OPTIONAL_DEPENDENCY_OF", spdx_id(package))
            )

    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    utc = datetime.timezone.utc
    created = (
        datetime.datetime.fromtimestamp(int(epoch), utc) if epoch else datetime.datetime.now(utc)
    )
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"myblas-{version}",
        "documentNamespace": f"https://myblas.example.org/spdx/{version}/{digests.hexdigest()}",
        "creationInfo": {
            "created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Organization: The myblas authors", "Tool: myblas-sbom.py"],
        },
        "packages": list(components.values()),
        "relationships": [
            {"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
            for a, kind, b in relationships
        ],
    }
    if any(entry["licence"] == CUDA_LICENCE["licenseId"] for entry in linked["linked"]):
        document["hasExtractedLicensingInfos"] = [CUDA_LICENCE]
    return document


def main(arguments):
    if len(arguments) < 3 or arguments[0].startswith("-"):
        sys.exit(__doc__)
    linked, output, *packages = arguments
    document = bill(json.loads(pathlib.Path(linked).read_text()), packages)
    pathlib.Path(output).write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
