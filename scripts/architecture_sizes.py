#!/usr/bin/env python3
"""architecture_sizes.py LIBRARY: how many bytes of a library are code for each GPU architecture.

Reads the section .nv_fatbin: a row of containers, whose entries are machine code or PTX for an
architecture."""

import collections
import pathlib
import struct
import sys

# magic number, version, bytes of this header, bytes after it
CONTAINER = struct.Struct("<IHHQ")
# kind, version, bytes of this header, bytes after it, architecture
ENTRY = struct.Struct("<HHIQ12xI")
MAGIC = 0xBA55ED50
KINDS = {1: "PTX", 2: "machine code"}


def section(file, wanted):
    """Where a section of an ELF file of 64 bits begins and ends."""
    table = struct.unpack_from("<Q", file, 0x28)[0]
    size, count, names = struct.unpack_from("<HHH", file, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", file, table + i * size) for i in range(count)]
    for header in headers:
        begin = headers[names][4] + header[0]
        if file[begin : file.index(b"\0", begin)] == wanted:
            return header[4], header[4] + header[5]
    sys.exit(f"no section {wanted.decode()}: not built with CUDA")


def sizes(file):
    """Bytes by kind and architecture."""
    found = collections.Counter()
    place, end = section(file, b".nv_fatbin")
    while place < end:
        magic, _, header_bytes, rest = CONTAINER.unpack_from(file, place)
        if magic != MAGIC:  # padding
            place += 8
            continue
        place += header_bytes
        after = place + rest
        while place < after:
            kind, _, header_bytes, rest, architecture = ENTRY.unpack_from(file, place)
            found[architecture, KINDS.get(kind, f"kind {kind}")] += header_bytes + rest
            place += header_bytes + rest
    return found


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print("usage: scripts/architecture_sizes.py LIBRARY")
        sys.exit(0 if sys.argv[1:] in (["-h"], ["--help"]) else 2)
    file = pathlib.Path(sys.argv[1]).read_bytes()
    found = sizes(file)
    for (architecture, kind), size in sorted(found.items()):
        print(f"sm_{architecture:<4} {kind:<12} {size / 1e6:6.2f} MB")
    print(f"{'all else':<20} {(len(file) - sum(found.values())) / 1e6:6.2f} MB")


main()
