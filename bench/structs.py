"""The structs of myblas's headers for ctypes, made from the headers' text."""

import ctypes
import pathlib
import re

HEADERS = pathlib.Path(__file__).resolve().parent.parent / "include/myblas"
TYPES = {"size_t": ctypes.c_size_t, "int64_t": ctypes.c_int64, "double": ctypes.c_double}


def fields_of(body):
    for declaration in filter(None, (part.strip() for part in body.split(";"))):
        kind, names = re.fullmatch(r"(?:const )?(\w+)\b(.*)", declaration, re.S).groups()
        for name in names.split(","):
            if "*" not in name:
                of = TYPES.get(kind, ctypes.c_int)  # others are enumerations
            else:
                of = ctypes.c_char_p if kind == "char" else ctypes.c_void_p
            yield name.strip(" *\n"), of


def read(name):
    """The class of the struct with this name; its size_bytes is set."""
    text = "".join(path.read_text() for path in sorted(HEADERS.glob("*.h")))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    body = re.search(rf"typedef struct \{{([^}}]*)\}} {name};", text)[1]

    class Struct(ctypes.Structure):
        _fields_ = list(fields_of(body))

        def __init__(self, **values):
            super().__init__(size_bytes=ctypes.sizeof(type(self)), **values)

    return Struct
