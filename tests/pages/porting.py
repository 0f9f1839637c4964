#!/usr/bin/env python3
"""Compares docs/porting.md and myblas_cublas.h with the exported symbols, and with cuBLAS's header.

usage: porting.py SOURCE_DIR [CUBLAS_INCLUDE_DIR]
"""

import pathlib
import re
import sys

SOURCE = pathlib.Path(sys.argv[1])
CUBLAS = pathlib.Path(sys.argv[2]) / "cublas_api.h" if len(sys.argv) > 2 else None

# Names of cuBLAS's functions for floats, and of those for another precision. Names of functions
# without a precision match neither.
FLOATS = re.compile(r"cublas(S(?!et[A-Z]|calEx|wapEx|c[an])[a-z]|Is)")
OTHER_PRECISION = re.compile(
    r"cublas(?!Create|Destroy|CopyEx|DotEx)([CDZH][a-z0-9]|I[cdz]|Sc[an]|[HT]S|Uint8)"
)

# The header's own macros for cublasSetVector and other copies. cuBLAS's functions take no handle,
# those of myblas do.
COPY = r"^MYBLAS_CUBLAS_(?:VECTOR|MATRIX)(?:_ASYNC)?\((\w+), int(?:64_t)?\)$"


def exported():
    return set(
        re.findall(r"^(\w+)@", (SOURCE / "abi/exports/libmyblas.symbols").read_text(), re.MULTILINE)
    )


def macros(text):
    """{name of cuBLAS: the name that the header defines it as}"""
    return dict(
        re.findall(r"^#define ((?:cublas|CUBLAS_)\w+)(?:\(.*?\))? (\w+)", text, re.MULTILINE)
    ) | {f"cublas{name}": f"myblas{name}" for name in re.findall(COPY, text, re.MULTILINE)}


def rows(text):
    """{function of cuBLAS: the function of the table, or None}"""
    found = {}
    text = text.split("## Function by function", 1)[1]
    for names, equivalent in re.findall(r"^\| (`cublas[^|]*) \| ([^|]*) \|", text, re.MULTILINE):
        for name in re.findall(r"`(\w+)`", names):
            found[name] = None if equivalent == "none" else equivalent.strip("`")
    return found


def prototypes(text, before):
    """{function: types of its parameters}; `before` matches the text before a declared name."""
    found = {}
    for name, parameters in re.findall(rf"{before}(\w+)\s*\(([^()]*)\)\s*;", text):
        found[re.sub(r"_v2(?=_64$|$)", "", name)] = [
            type_of(kind) for kind in parameters.split(",")
        ]
    return found


def type_of(parameter):
    """`const float* const Aarray[]` as `const float*const*`."""
    pointers = "*" if parameter.strip().endswith("[]") else ""
    words = parameter.replace("[]", "").replace("*", " * ").split()
    if len(words) > 1:
        words.pop()  # the name
    return re.sub(r" ?\* ?", "*", " ".join(words)).replace("long long int", "long long") + pointers


def faults(symbols, header, page, declared, cublas):
    of_header, of_page = macros(header), rows(page)
    is_type = re.compile(r"\w+_t$|cublasLogCallback$").match
    functions = {
        name: to
        for name, to in of_header.items()
        if name.startswith("cublas") and not is_type(name)
    }
    for name, to in functions.items():
        if to not in symbols:
            yield f"the header makes {name} {to}, which is not exported"
        if name.removesuffix("_64") not in of_page:
            yield f"the table lacks {name}"
        elif of_page[name.removesuffix("_64")] != to.removesuffix("_64"):
            told = of_page[name.removesuffix("_64")]
            yield f"the header makes {name} {to}, the table says {told}"
    for name, to in of_page.items():
        if to and to not in symbols:
            yield f"the table has {to}, which is not exported"
        if to and name not in functions:
            yield f"the header lacks {name}"
        if (
            to is None
            and re.sub(r"^cublas(?:S|(?=Is))", "mys" if FLOATS.match(name) else "myblas", name)
            in symbols
        ):
            yield f"the table says that there is no {name}, but there is one"
    only_here = {s for s in symbols if re.match("my(s|d|h|t|is)[a-z]", s) and not s.endswith("_64")}
    for name in sorted(only_here - set(of_page.values())):
        if f"`{name}`" not in page:
            yield f"the page does not mention {name}"
    if cublas is None:
        return
    theirs = prototypes(cublas, r"CUBLASWINAPI\s+")
    in_scope = {
        name for name in theirs if not name.endswith("_64") and not OTHER_PRECISION.match(name)
    }
    for name in sorted(in_scope - set(of_page)):
        yield f"the table lacks {name}"
    for name in sorted(set(of_page) - set(theirs)):
        yield f"cuBLAS has no {name}"
    ours = prototypes(declared, r"MYBLAS_API [\w ]+[\s*]+")
    types = {name: to for name, to in of_header.items() if is_type(name)}
    types["cudaStream_t"] = "myblasStream_t"
    for name, to in functions.items():
        if to == "myblasGetProperty":
            continue  # its enumeration is not cuBLAS's
        wanted = [
            re.sub(r"\w+", lambda word: types.get(word[0], word[0]), kind) for kind in theirs[name]
        ]
        if re.match(r"cublas[GS]et(Matrix|Vector)", name):
            wanted = ["myblasHandle_t", *wanted]
        if wanted != ours[to]:
            yield f"{name} takes {', '.join(wanted)}, {to} takes {', '.join(ours[to])}"


def main():
    symbols = exported()
    header = (SOURCE / "include/myblas/myblas_cublas.h").read_text()
    page = (SOURCE / "docs/porting.md").read_text()
    declared = "".join(
        (SOURCE / "include/myblas" / name).read_text() for name in ("myblas.h", "myblas_64.h")
    )
    cublas = CUBLAS.read_text() if CUBLAS and CUBLAS.exists() else None
    found = list(faults(symbols, header, page, declared, cublas))
    print("\n".join(found))

    # The comparison must find planted errors.
    lies = {
        "a row": (
            symbols,
            header,
            page.replace("| `cublasSgemm` | `mysgemm` |", "| `cublasSgemm` | none |"),
            declared,
            cublas,
        ),
        "a symbol": (symbols - {"mysdot"}, header, page, declared, cublas),
        "a macro": (
            symbols,
            header.replace("cublasSaxpy mysaxpy", "cublasSaxpy myscopy"),
            page,
            declared,
            cublas,
        ),
        "a row that is missing": (
            symbols,
            header,
            page.replace("`cublasSgeam`", ""),
            declared,
            cublas,
        ),
    }
    if cublas:
        lies["a parameter"] = (
            symbols,
            header,
            page,
            declared.replace("int incx,", "float incx,"),
            cublas,
        )
    for what, statements in lies.items():
        if not list(faults(*statements)):
            print(f"a planted error was not found: {what}")
            found.append(what)
    compared = "with cuBLAS's header" if cublas else "without cuBLAS's header"
    print(f"{len(rows(page))} functions of the table compared, {compared}")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
