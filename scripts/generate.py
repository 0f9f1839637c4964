#!/usr/bin/env python3
"""Writes what repeats the declarations of include/myblas/myblas.h and myblas_kernels.h.

Run it after a change of these headers, or of the preload libraries' table
abi/preload/common/entries.inc; the test `generated` fails if something is out of date.

usage: scripts/generate.py           writes the files
       scripts/generate.py --check   shows what is out of date as a diff, and fails if anything is

  include/myblas/myblas_64.h       the forms with 64-bit sizes
  include/myblas/myblas_cublas.h   cuBLAS's names, between two marks
  abi/exports/libmyblas.map, .symbols  the exported functions
  abi/fortran/myblas.f90           the Fortran module
  src/core/kernel_variables.h  the variables that force kernels
  abi/preload/common/cublas_parameters.h  the parameters of rows of entries.inc
  src/api/entry_points.cpp         routines and copies: enter(calls::name, arguments), both widths
  tests/functions.h                calls and parameters as data, for tests/arguments.c
  README.md                        rows for routines that the table lacks
  docs/compatibility.md            which routines of BLAS are here, in the first table of routines
  docs/porting.md                  the routines that cuBLAS lacks, in the last sentence
  docs/served_calls.md             the routines of the BLAS preload library, by entries.inc

Conventions of the headers that decide what is written:
  - A function with a parameter n, cols or n_array has a _64 form, in which each int is an int64_t.
  - A routine has the name of cuBLAS that its comment gives as its source: cublasSgemm for mysgemm.
  - A function that release 1.y adds says "Since 1.y." in its comment. It gets the symbol version
    MYBLAS_1.y (docs/abi.md).
  - In Fortran, a result is an intent(out) argument of a function whose name begins with myblas. A
    routine takes a c_ptr, because the pointer mode says to which memory it points. The arrays and
    scalars of a routine ...Host are the program's own.
"""

import argparse
import difflib
import itertools
import pathlib
import re
import sys
import textwrap
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOTE = "Written by scripts/generate.py from myblas.h"

# ---- The headers ---------------------------------------------------------------------------------


class Parameter(NamedTuple):
    type: str  # an array's ends with []
    name: str


class Function(NamedTuple):
    section: str
    comment: str  # may stand for several functions
    result: str
    name: str
    parameters: list

    def has_64(self):
        return any(each.name in ("n", "cols", "n_array") for each in self.parameters)

    def wide(self):
        """The _64 form."""
        parameters = [
            parameter._replace(type=re.sub(r"\bint\b", "int64_t", parameter.type))
            for parameter in self.parameters
        ]
        return self._replace(name=self.name + "_64", parameters=parameters)


class Header(NamedTuple):
    functions: list
    enumerations: dict  # {type: {enumerator: value}}
    structures: dict  # {type: [(name, type, whether it is a pointer)]}
    constants: dict  # macros with a number


TOKEN = re.compile(
    r"/\* -{2,} (?P<section>.*?) -+ \*/|/\*(?P<comment>.*?)\*/|\n(?P<blank>)\n"
    r"|^typedef enum \{(?P<enumerators>[^}]*)\} (?P<enumeration>\w+);"
    r"|^typedef struct \{(?P<members>[^}]*)\} (?P<structure>\w+);"
    r"|^MYBLAS_API (?P<result>[\w* ]+?)\s*\b(?P<function>my\w+)\((?P<parameters>[^)]*)\);"
    r"|^#define (?P<constant>MYBLAS_\w+) (?P<number>\d+)$",
    re.DOTALL | re.MULTILINE,
)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def parameter_of(text):
    kind, name, array = re.fullmatch(r"(.*?)(\w+)(\[\])?", " ".join(text.split())).groups()
    return Parameter(kind.strip() + (array or ""), name)


def members_of(text):
    members = []
    for member in COMMENT.sub("", text).split(";")[:-1]:
        kind, *names = re.findall(r"\w+", member.replace("const ", ""))
        members += [(name, kind, "*" in member) for name in names]
    return members


def read(header, section, text):
    comment = ""
    for token in TOKEN.finditer(text):
        if token["section"]:
            section = token["section"]
        elif token["blank"] is not None or token["comment"] is not None:
            comment = token["comment"] or ""
        elif token["enumeration"]:
            items = re.findall(r"(\w+) = (\d+)", COMMENT.sub("", token["enumerators"]))
            header.enumerations[token["enumeration"]] = dict(items)
        elif token["structure"]:
            header.structures[token["structure"]] = members_of(token["members"])
        elif token["function"]:
            parameters = [parameter_of(each) for each in token["parameters"].split(",")]
            header.functions.append(
                Function(section, comment, token["result"], token["function"], parameters)
            )
        elif token["constant"]:
            header.constants[token["constant"]] = token["number"]


def read_headers():
    header, declarations = Header([], {}, {}, {}), 0
    for name, section in (("myblas.h", ""), ("myblas_kernels.h", "Kernels")):
        text = (ROOT / "include/myblas" / name).read_text()
        read(header, section, text)
        declarations += len(re.findall(r"^MYBLAS_API\b", text, re.MULTILINE))
    if declarations != len(header.functions):
        sys.exit(f"{declarations} declarations, but only {len(header.functions)} were understood")
    return header


def with_64(functions):
    for function in functions:
        yield function
        if function.has_64():
            yield function.wide()


def by_section(functions):
    return itertools.groupby(functions, lambda function: function.section)


def unbroken(text):
    """Text that in_lines keeps on one line."""
    return text.replace(" ", "\0")


def in_lines(text, indent=4, hanging=4, width=100):
    first, others = " " * indent, " " * (indent + hanging)
    lines = textwrap.fill(text, width, initial_indent=first, subsequent_indent=others)
    return lines.replace("\0", " ")


# ---- 64-bit sizes --------------------------------------------------------------------------------

HEADER_64 = """\
/* The forms with 64-bit sizes: written by scripts/generate.py from myblas.h. */
#ifndef MYBLAS_MYBLAS_64_H
#define MYBLAS_MYBLAS_64_H

#include "myblas/myblas.h"

#ifdef __cplusplus
extern "C" {{
#endif
/* clang-format off */

{declarations}

/* clang-format on */
#ifdef __cplusplus
}}
#endif
#endif /* MYBLAS_MYBLAS_64_H */
"""


def in_c(parameter):
    kind = parameter.type.removesuffix("[]")
    return f"{kind} {parameter.name}" + "[]" * (kind != parameter.type)


def declaration(function):
    parameters = ", ".join(unbroken(in_c(each)) for each in function.parameters)
    lines = in_lines(parameters, hanging=0, width=98)
    return f"MYBLAS_API {function.result} {function.name}(\n{lines});"


def header_64(header):
    shown = []
    for section, functions in by_section([each for each in header.functions if each.has_64()]):
        shown.append(f"/* ---- {section} {'-' * (88 - len(section))} */")
        shown += [declaration(each.wide()) for each in functions]
    return HEADER_64.format(declarations="\n\n".join(shown))


# ---- Exported functions --------------------------------------------------------------------------


def nodes(header):
    """{node of the version script: its symbols}, in the order of releases"""
    found = {}
    for function in header.functions:
        since = int((re.search(r"\bSince 1\.(\d+)\.", function.comment) or [0, 0])[1])
        found.setdefault(since, []).extend(each.name for each in with_64([function]))
    return {f"MYBLAS_1.{y}".removesuffix(".0"): sorted(found[y]) for y in sorted(found)}


def version_script(header):
    shown, before = [f"/* {NOTE}. */"], ""
    for node, symbols in nodes(header).items():
        shown += [f"{node} {{", "global:", *(f"    {symbol};" for symbol in symbols)]
        shown += [f"}} {before};"] if before else ["local:", "    *;", "};"]
        before = node
    return "\n".join(shown) + "\n"


def symbol_list(header):
    lines = [f"{symbol}@@{node}" for node, symbols in nodes(header).items() for symbol in symbols]
    return "\n".join([f"# {NOTE}.", *sorted(lines)]) + "\n"


# ---- cuBLAS's names ------------------------------------------------------------------------------

# cuBLAS has types and functions of these names, with the prefix cublas in place of myblas.
CUBLAS_TYPES = "Handle Status Operation FillMode SideMode DiagType PointerMode Math".split()
CUBLAS_HELPERS = """
    Create Destroy GetVersion GetStatusName GetStatusString SetStream GetStream SetPointerMode
    GetPointerMode SetMathMode GetMathMode SetSmCountTarget GetSmCountTarget SetWorkspace
    SetLoggerCallback LoggerConfigure
""".split()
BEGIN, END = f"/* {NOTE}: begin */\n", f"/* {NOTE}: end */\n"


def cublas_name(function):
    """None: cuBLAS lacks the function."""
    helper = function.name.removeprefix("myblas")
    if helper != function.name:
        return f"cublas{helper}" if helper in CUBLAS_HELPERS else None
    stem = function.name.removeprefix("my")
    name = f"cublas{stem[0].upper()}{stem[1:]}"
    return name if re.search(rf"\b{name}(_v2)?\b", function.comment) else None


def cublas_names(header):
    shown = ["/* Types */"]
    shown += [f"#define cublas{name}_t myblas{name}_t" for name in CUBLAS_TYPES]
    shown += ["", "/* Enumerators */"]
    for name in CUBLAS_TYPES:
        if name not in ("Handle", "Math"):  # math modes differ in more than the prefix
            for enumerator in header.enumerations[f"myblas{name}_t"]:
                shown.append(f"#define CU{enumerator.removeprefix('MY')} {enumerator}")
    for section, functions in by_section(header.functions):
        lines = []
        for function in functions:
            name = cublas_name(function)
            if name:
                lines.append(f"#define {name} {function.name}")
                lines += [f"#define {name}_64 {function.name}_64"] * function.has_64()
        if lines:
            shown += ["", f"/* {section} */", *lines]
    return "\n".join(shown) + "\n"


def header_cublas(header):
    text = (ROOT / "include/myblas/myblas_cublas.h").read_text()
    before, rest = text.split(BEGIN)
    return before + BEGIN + cublas_names(header) + END + rest.split(END, 1)[1]


# ---- Fortran -------------------------------------------------------------------------------------

MODULE = """\
! {note} and myblas_kernels.h.
! The comments of these headers describe the functions. Names, order of parameters and meanings are
! those of C.
!   Functions   Each returns a status, except myblasGetStatusName and myblasGetStatusString.
!   Memory      Handles, streams and memory are a type(c_ptr). Device memory comes from
!               myblasMalloc; host memory is c_loc of a variable with the target attribute. Scalars
!               (alpha, beta, results) are pointers, too: the pointer mode says to which memory.
!   Arrays      mysgemmHost takes the program's own arrays and scalars, as sgemm does, and keeps
!               nothing on the device.
!   Strings     An argument ends with c_null_char; an absent argument means NULL. A result is a
!               type(c_ptr) to characters that end with c_null_char.
!   Structures  A new one has its size_bytes set, and all other members are zero.
! Every procedure is an interface to C: a program that uses this module links to libmyblas alone.
module myblas
    use, intrinsic :: iso_c_binding, only: c_char, c_double, c_float, c_funptr, c_int, c_int64_t, &
        c_long_long, c_null_ptr, c_ptr, c_size_t
    implicit none
    private :: c_char, c_double, c_float, c_funptr, c_int, c_int64_t, c_long_long, c_null_ptr, &
        c_ptr, c_size_t

{constants}

{types}

    interface
{interfaces}
    end interface
end module myblas
"""

KINDS = {
    "int": "integer(c_int)",
    "int64_t": "integer(c_int64_t)",
    "long long": "integer(c_long_long)",
    "size_t": "integer(c_size_t)",
    "double": "real(c_double)",
    "myblasHandle_t": "type(c_ptr)",
    "myblasStream_t": "type(c_ptr)",
    "void*": "type(c_ptr)",
    "char*": "type(c_ptr)",
    "myblasLogCallback_t": "type(c_funptr)",
}
# Pointers to these may be NULL: the argument is optional.
NULLABLE = {"myblasEpilogue_t", "myblasDevice_t"}


def wrapped(text, indent):
    kept_together = text.replace(" = ", "\0=\0")
    return in_lines(kept_together, indent, width=98).replace("\0", " ").replace("\n", " &\n")


def kind_of(header, type):
    return "integer(c_int)" if type in header.enumerations else KINDS.get(type)


def fortran_argument(header, function, parameter):
    """The attributes of an argument, and what follows its name."""
    type, name = parameter
    if kind_of(header, type):
        return f"{kind_of(header, type)}, value", ""
    if not type.endswith(("*", "[]")):
        sys.exit(f"{function.name}: no Fortran type for {type}")
    if type == "const char*":
        return "character(kind=c_char), intent(in), optional", "(*)"
    is_read = type.startswith("const")
    pointee = type.removeprefix("const ").removesuffix("*")
    if pointee in header.structures:
        intent = "intent(in)" if is_read else "intent(inout)"
        return f"type({pointee}), {intent}" + ", optional" * (is_read and pointee in NULLABLE), ""
    if "Host" in function.name:
        size = f"ld{name.lower()}"
        is_matrix = any(each.name == size for each in function.parameters)
        return f"real(c_float), intent({'in' if is_read else 'inout'})", f"({size}, *)" * is_matrix
    if function.name.startswith("myblas") and kind_of(header, pointee):
        return f"{kind_of(header, pointee)}, intent(out)", ""
    return "type(c_ptr), value", ""


def interface(header, function):
    arguments = {}  # {attributes: names}; in this form, sizes are declared before arrays
    for parameter in function.parameters:
        attributes, shape = fortran_argument(header, function, parameter)
        arguments.setdefault(attributes, []).append(fortran_name(parameter) + shape)
    names = ", ".join(fortran_name(each) for each in function.parameters)
    result = "string" if function.result == "const char*" else "status"
    kind_of_result = "type(c_ptr)" if result == "string" else "integer(c_int)"
    return "\n".join(
        [
            wrapped(f"function {function.name}({names})", 8) + " &",
            f'            bind(c, name="{function.name}") result({result})',
            "            import",
            *(wrapped(f"{kind} :: {', '.join(group)}", 12) for kind, group in arguments.items()),
            f"            {kind_of_result} :: {result}",
            "        end function",
        ]
    )


def fortran_name(parameter):
    return {"type": "property"}.get(parameter.name, parameter.name)  # a word of Fortran's


def size_of(header, members):
    """sizeof, with 64-bit pointers."""
    size = 0
    for _, kind, is_pointer in members:
        bytes = 4 if not is_pointer and kind_of(header, kind) == "integer(c_int)" else 8
        size = -(-size // bytes) * bytes + bytes
    return -(-size // 8) * 8


def derived_type(header, name, members):
    lines = []
    for (kind, is_pointer), group in itertools.groupby(members, lambda member: member[1:]):
        kind, zero = ("type(c_ptr)", "c_null_ptr") if is_pointer else (kind_of(header, kind), 0)
        names = [member[0] for member in group]
        values = {"size_bytes": size_of(header, members)}
        shown = ", ".join(f"{each} = {values.get(each, zero)}" for each in names)
        lines.append(wrapped(f"{kind} :: {shown}", 8))
    return "\n".join([f"    type, bind(c) :: {name}", *lines, "    end type"])


def fortran_constants(values):
    return [f"    integer(c_int), parameter :: {name} = {value}" for name, value in values.items()]


def fortran_module(header):
    constants = ["\n".join(fortran_constants(header.constants))]
    for name, values in header.enumerations.items():
        constants.append("\n".join([f"    ! {name}", *fortran_constants(values)]))
    interfaces = []
    for section, functions in by_section(header.functions):
        interfaces.append(f"        ! ---- {section} {'-' * (83 - len(section))}")
        interfaces += [interface(header, each) for each in with_64(functions)]
    return MODULE.format(
        note=NOTE,
        constants="\n\n".join(constants),
        types="\n\n".join(derived_type(header, *each) for each in header.structures.items()),
        interfaces="\n\n".join(interfaces),
    )


# ---- Calls as data -------------------------------------------------------------------------------

FUNCTIONS = """\
// {note}: the functions that take operands, as data.
// C++ has only the types: the tables and calls below are C.
// clang-format off
#include "myblas/myblas.h"
#include <stddef.h>
#include <stdint.h>

enum function {{
{enumerators},
    function_count
}};

// All their parameters, by name. Each has 8 bytes, so a value for any of them is an int64_t.
struct arguments {{
{integers};
{pointers};
}};

struct parameter {{
    const char *type, *name;
    size_t offset; // in struct arguments
}};

struct function_info {{
    const char* name;
    struct parameter parameters[{most} + 1]; // but the handle; the last one has no name
}};

#ifndef __cplusplus
#define P(type, name) {{#type, #name, offsetof(struct arguments, name)}}
static const struct function_info functions[function_count] = {{
{functions}
}};
#undef P

static myblasStatus_t
call_narrow(enum function function, myblasHandle_t handle, const struct arguments* g) {{
    switch (function) {{
{narrow}
    default: return MYBLAS_STATUS_NOT_SUPPORTED;
    }}
}}

// The _64 forms. A function without sizes has none.
static myblasStatus_t
call_wide(enum function function, myblasHandle_t handle, const struct arguments* g) {{
    switch (function) {{
{wide}
    default: return MYBLAS_STATUS_NOT_SUPPORTED;
    }}
}}
#endif // __cplusplus
"""


def enumerator(function):
    """set_matrix for myblasSetMatrix, sgemm_batched for mysgemmBatched"""
    stem = function.name.removeprefix("myblas").removeprefix("my")
    return re.sub(r"(?<!^)(?=[A-Z])", "_", stem).lower()


def is_routine(function):
    return not function.name.startswith("myblas")


def takes_operands(function):
    return is_routine(function) or function.has_64()


def call_of(function, form):
    arguments = "".join(f", g->{each.name}" for each in function.parameters[1:])
    head = unbroken(f"case {enumerator(function)}: return {form.name}(handle")
    return in_lines(f"{head}{arguments});")


def functions_as_data(header):
    functions = [each for each in header.functions if takes_operands(each)]
    integers, pointers, infos = {}, {}, []
    for function in functions:
        shown = []
        for kind, name in function.parameters[1:]:
            is_integer = kind in header.enumerations or kind in ("int", "long long")
            (integers if is_integer else pointers)[name] = None
            shown.append(unbroken(f"P({kind}, {name})"))
        head = unbroken(f'[{enumerator(function)}] = {{"{function.name}",')
        infos.append(in_lines(f"{head} {{{', '.join(shown)}}}}},"))
    return FUNCTIONS.format(
        note=NOTE,
        enumerators=in_lines(", ".join(map(enumerator, functions)), hanging=0),
        integers=in_lines("int64_t " + ", ".join(integers)),
        pointers=in_lines("void *" + ", *".join(pointers)),
        most=max(len(each.parameters) - 1 for each in functions),
        functions="\n".join(infos),
        narrow="\n".join(call_of(each, each) for each in functions),
        wide="\n".join(call_of(each, each.wide() if each.has_64() else each) for each in functions),
    )


# ---- Variables that force kernels ----------------------------------------------------------------

KERNEL_VARIABLES = """\
// {note}: the environment
// variables that force kernels, by myblasRoutine_t.
#pragma once

#include "myblas/myblas.h"

namespace myblas {{

// clang-format off
inline constexpr const char* kernel_variables[MYBLAS_ROUTINE_COUNT] = {{
{variables}
}};
// clang-format on

}} // namespace myblas
"""


def kernel_variables(header):
    routines = header.enumerations["myblasRoutine_t"]
    variables = [f'    "{each.replace("_ROUTINE_", "_")}_KERNEL",' for each in routines]
    return KERNEL_VARIABLES.format(note=NOTE, variables="\n".join(variables))


# ---- Parameters of cuBLAS's functions ------------------------------------------------------------

CUBLAS_PARAMETERS = """\
// {note}: the parameters after the
// handle that a routine shares with cuBLAS's, and the same as arguments. SIZE is int or int64_t.
#pragma once

// clang-format off
{macros}
"""


def macro(name, values):
    head = unbroken(f"#define {name} ")
    lines = in_lines(f"{head}({', '.join(map(unbroken, values))})", indent=0, width=98)
    return lines.replace("\n", " \\\n")


def cublas_parameters(header):
    macros = []
    for function in filter(is_routine, header.functions):
        if cublas_name(function):
            parameters = [
                f"{each.type.replace('[]', '*')} {each.name}" for each in function.parameters[1:]
            ]
            sized = [re.sub(r"\bint\b", "SIZE", each) for each in parameters]
            macros.append(macro(f"PARAMETERS_{function.name}", sized))
            names = [each.name for each in function.parameters[1:]]
            macros.append(macro(f"ARGUMENTS_{function.name}", names))
    return CUBLAS_PARAMETERS.format(note=NOTE, macros="\n".join(macros))


# ---- Entry points --------------------------------------------------------------------------------

ENTRY_POINTS = """\
// {note}: the functions that take
// operands, which src/routines and api/memory.h declare.
#include "api/enter.h"
#include "api/memory.h"

using namespace myblas;

// clang-format off
extern "C" {{

{functions}

}} // extern "C"
"""


def entry_point(function, call):
    parameters = ", ".join(unbroken(in_c(each)) for each in function.parameters)
    arguments = "".join(f", {each.name}" for each in function.parameters)
    head = in_lines(
        f"[[gnu::flatten]] {function.result} {function.name}({parameters}) {{", indent=0
    )
    body = in_lines(f"return enter(calls::{call}{arguments});", indent=4)
    return f"{head}\n{body}\n}}"


def entry_points(header):
    return ENTRY_POINTS.format(
        note=NOTE,
        functions="\n\n".join(
            entry_point(form, enumerator(function))
            for function in header.functions
            if takes_operands(function)
            for form in with_64([function])
        ),
    )


# ---- Pages ---------------------------------------------------------------------------------------

NARROW_PAGE = 130  # columns


def page(name):
    return (ROOT / name).read_text()


def replaced(text, pattern, new):
    """The text with `new` in place of the only match of the pattern; as re.sub."""
    found, count = re.subn(pattern, new, text, flags=re.MULTILINE)
    if count != 1:
        sys.exit(f"{count} places have the form {pattern!r}, not one")
    return found


MATHEMATICS = (
    (r"\*result = ", ""),
    (r" \(MYBLAS_\w+\)", ""),
    (r", [A-Z] m x n\b.*", ""),
    (r" \* ", " "),
    (r"\balpha\b", "α"),
    (r"\bbeta\b", "β"),
    (r"\^T", "ᵀ"),
    (r"_i\b", "ᵢ"),
    (r"\^2", "²"),
    (r"\|", r"\\|"),
)


def summary(comment):
    """The first statement of a comment, before its list of operands."""
    lines = re.sub(r"\n \* ?", "\n", comment).strip().split("\n")
    text = " ".join(itertools.takewhile(lambda line: not line.startswith("  "), lines))
    text = re.split(r"(?<![.])[.:;](?= |$)", text)[0]
    for pattern, new in MATHEMATICS:
        text = re.sub(pattern, new, text)
    return text


def readme(header):
    """Adds each missing routine below the row of the routine that the header declares before it."""
    rows = re.search(r"^\| Routines \| \|\n(?:\|.*\n)+", page("README.md"), re.MULTILINE)[0]
    lines, at = rows.split("\n"), 1
    for comment, group in itertools.groupby(
        filter(is_routine, header.functions), lambda function: function.comment
    ):
        names = [f"`{each.name}`" for each in group]
        places = [i for i, line in enumerate(lines) if any(name in line for name in names)]
        missing = [name for name in names if name not in rows]
        at = places[-1] if places else at
        if missing:
            at += 1
            lines.insert(at, f"| {', '.join(missing)} | {summary(comment)} |")
    return page("README.md").replace(rows, "\n".join(lines))


def compatibility(header):
    here = {function.name for function in header.functions}

    def row(match):
        routines = re.findall(r"`(\w+)`", match["routines"])
        is_here = all(f"my{name}" in here for name in routines)
        ours = match["ours"].removeprefix("not ").removeprefix("here")
        return f"{match['before']}{'here' if is_here else 'not here'}{ours} |"

    table = r"^\| Level \| BLAS \| myblas \|.*\n(?:\|.*\n)+"
    pattern = r"^(?P<before>\| \d[^|]*\|(?P<routines>[^|]*)\| )(?P<ours>[^|]*) \|"
    return replaced(
        page("docs/compatibility.md"),
        table,
        lambda match: re.sub(pattern, row, match[0], flags=re.MULTILINE),
    )


def porting(header):
    only_here = sorted(
        each.name
        for each in header.functions
        if is_routine(each) and not cublas_name(each) and "Fused" not in each.name
    )
    *names, last = [f"`{name}`" for name in only_here]
    # The sentences before it say which function is for which of cuBLASLt's.
    paragraph = r"^(Functions for complex numbers,(?:.+\n)*?.*?Only myblas has )(?:.+\n?)+"
    listed = f"{', '.join(names)} and {last}."
    return replaced(
        page("docs/porting.md"),
        paragraph,
        lambda match: in_lines(" ".join((match[1] + listed).split()), 0, 0, NARROW_PAGE) + "\n",
    )


BLAS_ROW = r"^(SMALL|BLAS_LEVEL3|BLAS_ENTRY)\((\w+),(.*(?:\n +.*)*)"  # further lines are indented


def served_calls(header):
    kinds = {"Level 3": [], "Level 2": [], "Level 1": [], "OpenBLAS's transposes": []}
    table = page("abi/preload/common/entries.inc").split("// ---- ")[1]
    for macro, name, arguments in re.findall(BLAS_ROW, table, re.MULTILINE):
        small = "Level 2" if "leading" in arguments else "Level 1"
        other = "Level 3" if macro == "BLAS_LEVEL3" else "OpenBLAS's transposes"
        kinds[small if macro == "SMALL" else other].append(f"`{name}`")
    text = page("docs/served_calls.md")
    for kind, names in kinds.items():
        row = rf"^(\| {kind}, .* \|)(?: `\w+`)+ \|$"
        text = replaced(text, row, rf"\1 {' '.join(names)} |")
    return text


# ---- Files ---------------------------------------------------------------------------------------

FILES = {
    "include/myblas/myblas_64.h": header_64,
    "include/myblas/myblas_cublas.h": header_cublas,
    "abi/exports/libmyblas.map": version_script,
    "abi/exports/libmyblas.symbols": symbol_list,
    "abi/fortran/myblas.f90": fortran_module,
    "src/api/entry_points.cpp": entry_points,
    "src/core/kernel_variables.h": kernel_variables,
    "abi/preload/common/cublas_parameters.h": cublas_parameters,
    "tests/functions.h": functions_as_data,
    "README.md": readme,
    "docs/compatibility.md": compatibility,
    "docs/porting.md": porting,
    "docs/served_calls.md": served_calls,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing, and fail if a file is out of date"
    )
    check = parser.parse_args().check
    header = read_headers()
    stale = False
    for name, text_of in FILES.items():
        path, text = ROOT / name, text_of(header)
        old = path.read_text() if path.exists() else ""
        if old == text:
            continue
        stale = True
        if check:
            lines = old.splitlines(True), text.splitlines(True)
            sys.stdout.writelines(difflib.unified_diff(*lines, name, "scripts/generate.py", n=1))
        else:
            path.write_text(text)
            print(f"{name}: written")
    return int(check and stale)


if __name__ == "__main__":
    sys.exit(main())
