"""Prints each regular expression of the package that takes long on a long input; a process of its own, as it may hang.

Quadratic work on 12,000 characters takes tenths of a second of the processor, linear work a thousandth. A quarter
of them tells in a sixteenth of the time which input may be slow.
"""

import ast
import importlib
import pkgutil
import re
import re._parser as parser
from pathlib import Path
from time import process_time

import genexpy_nb

LENGTH, SECONDS = 12_000, 0.3
CALLS = {"compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"}


def patterns():
    """(where, pattern, flags): what is compiled when all modules are there, and what calls of `re` say."""
    package = Path(genexpy_nb.__file__).parent
    for info in pkgutil.walk_packages([str(package)], "genexpy_nb."):
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            held = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else [value]
            for pattern in held:
                if isinstance(pattern, re.Pattern) and isinstance(pattern.pattern, str):
                    yield f"{info.name}.{name}", pattern.pattern, pattern.flags
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CALLS
            if called and ast.unparse(node.func.value) == "re" and isinstance(node.args[0], ast.Constant):
                flags = [re.MULTILINE] if "MULTILINE" in ast.unparse(node) else []
                yield f"{path.name}:{node.lineno}", node.args[0].value, sum(flags)
        if path.name == "request.py":  # dictionaries of patterns are gone through there
            from genexpy_nb.datasets import texttables
            from genexpy_nb.own_study import request

            for pattern in [texttables.NUMBER, *request._WHOLE, *request._OUTSIDE]:
                yield "request", pattern, 0


def letters(tree):
    """What a pattern speaks of: a letter of each class, each literal, and runs of literals."""
    for op, value in tree:
        name = str(op)
        if name in ("LITERAL", "NOT_LITERAL"):
            yield chr(value)
        elif name == "IN":
            for kind, content in value:
                if str(kind) == "LITERAL":
                    yield chr(content)
                elif str(kind) == "RANGE":
                    yield chr(content[0])
                elif str(kind) == "CATEGORY":
                    yield {"DIGIT": "1", "SPACE": " ", "WORD": "a"}.get(str(content).rpartition("_")[2], "a")
        elif name == "ANY":
            yield "a"
        elif isinstance(value, parser.SubPattern):
            yield from letters(value)
        elif isinstance(value, tuple | list):
            for part in value:
                if isinstance(part, parser.SubPattern):
                    yield from letters(part)
                elif isinstance(part, list):
                    for each in part:
                        yield from letters(each)


def inputs(pattern, flags, many):
    """Long texts of one letter, or of two in turn, and of the beginning of the pattern again and again."""
    alphabet = list(dict.fromkeys([*letters(parser.parse(pattern, flags)), "1", "a", " ", "\n", "'", "\\"]))[:9]
    run = "".join(letters(parser.parse(pattern, flags)))
    pieces = [*alphabet, *(a + b for a in alphabet for b in alphabet if many and a != b)]
    pieces += [run[:n] for n in range(2, min(len(run), 12) + 1)]
    for piece in dict.fromkeys(pieces):
        yield from ((before, piece) for before in ("", run[:1]))


def seconds(call, before, piece, length):
    """How long a call takes on a long text, at best."""
    text, taken = f"{before}{(piece * length)[:length]}\x00!", []
    while len(taken) < 3 and (not taken or min(taken) > SECONDS * (length / LENGTH) ** 2):
        start = process_time()
        call(text)
        taken.append(process_time() - start)
    return min(taken)


def main(many=True):
    for (pattern, flags), where in {(pattern, flags): where for where, pattern, flags in patterns()}.items():
        print("trying", where, ascii(pattern), flush=True)
        compiled = re.compile(pattern, flags)
        for before, piece in inputs(pattern, flags, many):
            for call in (compiled.fullmatch, lambda text, compiled=compiled: compiled.sub("", text)):
                slow = seconds(call, before, piece, LENGTH // 4) > SECONDS / 16
                if slow and (taken := seconds(call, before, piece, LENGTH)) > SECONDS:
                    print("SLOW", where, ascii(pattern), f"{taken:.2f} s on", ascii(before + piece), flush=True)
                    break
            else:
                continue
            break
    print("done", flush=True)


if __name__ == "__main__":
    main()
