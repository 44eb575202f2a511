# SPDX-License-Identifier: Apache-2.0
# No file, line, function or parameter list is larger than the house allows.
import re

import common

COLUMNS = 80
FUNCTION_LINES = 60
PARAMETERS = 6


def line_limit(place):
    if place.parts[0] == "tests":
        return 500
    return 300 if place.suffix == ".h" else 800


SCOPE = re.compile(r"(?:inline\s+|export\s+|typedef\s+|static\s+|constexpr\s+"
                   r"|const\s+|\w+:\s+|\[\[.*?\]\]\s*)*"
                   r"(namespace|class|struct|union|enum|extern\b(?!.*\())\b")


def without_templates(text):
    """Drops `template <...>` in front of a declaration."""
    while match := re.match(r"\s*template\s*<", text):
        depth, at = 1, match.end()
        while at < len(text) and depth:
            depth += {"<": 1, ">": -1}.get(text[at], 0)
            at += 1
        text = text[at:]
    return text.strip()


def kind_of(text, in_scope):
    """What a brace opens that stands behind `text`, the statement so far:
    "scope" (namespace, class), "function", "values", or "block"."""
    if not in_scope:
        return "block"
    if re.search(r"[\w>\](,={]$", text) or re.search(r"(=|\breturn)\s*$", text):
        return "values"  # `a_{1}`, `= {`, `f({`: clang-format sets no space
    declaration = without_templates(text)
    if SCOPE.match(declaration) and not declaration.endswith(")"):
        return "scope"
    return "function" if "(" in declaration else "scope"


def functions(code):
    """Yields (signature, first line, last line, body) of the functions that
    `code` defines.  A simple reading of clang-formatted code by its braces:
    it can be fooled, but only by code that nobody should write."""
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
                  lambda match: re.sub(r"[^\n]", " ", match[0]), code,
                  flags=re.MULTILINE)
    stack, text, line = [], "", 1
    for at, char in enumerate(code):
        line += char == "\n"
        if char == "{":
            in_scope = all(entry[0] == "scope" for entry in stack)
            kind = kind_of(text, in_scope)
            stack.append((kind, text, line, at))
            text = text + "{}" if kind == "values" else ""
        elif char == "}" and stack:
            kind, before, first, began = stack.pop()
            if kind == "function":
                yield before.strip(), first, line, code[began:at]
            text = before + "{}" if kind == "values" else ""
        elif char == ";":
            in_values = stack and stack[-1][0] == "values"
            text = text if in_values else ""
        elif not (stack and stack[-1][0] == "values"):
            text += char


def parameters(signature):
    """How many parameters the function with this signature takes."""
    signature = without_templates(signature)
    start = re.search(r"(?<!operator)\(", signature)
    if not start:
        return 0
    depth, commas, inside = 0, 0, ""
    for char in signature[start.start():].replace("->", "").replace("<=>", ""):
        depth += {"(": 1, "<": 1, "[": 1, "{": 1,
                  ")": -1, ">": -1, "]": -1, "}": -1}.get(char, 0)
        if depth == 0:
            break
        commas += char == "," and depth == 1
        inside += char
    return commas + 1 if inside[1:].strip() else 0


def only_dispatches(body):
    """A long switch with short cases is a table, not a long function."""
    lines = [line for line in body.splitlines() if line.strip()]
    cases = sum(1 for line in lines if re.match(r"\s*(case\b|default:)", line))
    return "switch" in body and cases * 4 >= len(lines)


def faults(root):
    for file in common.cpp_files(root):
        place, text = file.relative_to(root), file.read_text()
        lines = text.splitlines()
        if len(lines) > line_limit(place):
            yield (f"{place}:1: {len(lines)} lines; "
                   f"the limit is {line_limit(place)}")
        for number, line in enumerate(lines, 1):
            if len(line) > COLUMNS and "://" not in line:
                yield (f"{place}:{number}: {len(line)} columns; "
                       f"the limit is {COLUMNS}")
        for signature, first, last, body in functions(common.code_only(text)):
            length = last - first + 1
            if length > FUNCTION_LINES and not only_dispatches(body):
                yield (f"{place}:{first}: a function of {length} lines; "
                       f"the limit is {FUNCTION_LINES}")
            if parameters(signature) > PARAMETERS:
                yield (f"{place}:{first}: {parameters(signature)} parameters; "
                       f"the limit is {PARAMETERS}, then a struct")


if __name__ == "__main__":
    common.main(faults)
