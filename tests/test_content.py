# SPDX-License-Identifier: Apache-2.0
"""The body of a message becomes typed payloads, and only Markdown is called Markdown."""

from __future__ import annotations

import re
import subprocess
import sys
import time

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentframes.content.classify import PARSED_LINES, classify_content
from agentframes.content.model import (
    CodeBlock,
    Diff,
    HtmlFile,
    ImageReference,
    Json,
    Markdown,
    Payload,
    RawLog,
)

GIT_DIFF = """\
diff --git a/app.py b/app.py
index 83db48f..bf269f4 100644
--- a/app.py
+++ b/app.py
@@ -1,3 +1,3 @@
 import sys
-print("a")
+print("b")"""
README_DIFF = """\
--- README.md
+++ README.md
@@ -1,5 +1,5 @@
 # Use
 ```sh
-run

+run --now
 ```"""
HTML = "<!DOCTYPE html>\n<html>\n<body>\n\n```\n\n    <p>x</p>\n</body>\n</html>"
LOG = """\
2026-01-02T10:00:00.123Z INFO  starting
2026-01-02T10:00:01.000Z ERROR failed

    Traceback (most recent call last):
2026-01-02T10:00:02.000Z INFO  # stopped"""
ANSI_LOG = "\x1b[32mPASS\x1b[0m a\n\n    at b\n\n# 1 of 2\n\x1b[31mFAIL\x1b[0m c"
TABLE = "| a | b |\n|---|---|\n| 1 | `x` |"
MARKDOWN = "# Done\n\n- one **bold**\n- two [link](https://a.b/c.png)\n\n> quote\n\n***"
LONG = "x" * 10_001
LONG_SPAN = f"```{' x' * 600} ``` {'x ' * 600}"


def code(language: str | None, text: str) -> CodeBlock:
    """Build the payload of a fence."""
    return CodeBlock(language=language, text=text)


def prose(text: str) -> Markdown:
    """Build the payload of Markdown."""
    return Markdown(text=text)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("c#", 'public class A\n{\n    string B => $"{1}";\n}'),
        ("python", "def f() -> None:\n    '''```'''\n\n\n    # no heading"),
        ("typescript", "const a: Array<string> = [`b`];"),
        ("mermaid", "graph TD\n    A --> B"),
        ("markdown", "# Title\n\n![a](b.png)"),
        ("json", '{"a": '),
        ("html", "<p>a part</p>"),
        ("svg", "<svg></svg>"),
        ("", ""),
    ],
)
@pytest.mark.parametrize("marker", ["```", "~~~~~"])
def test_fenced_code(marker: str, language: str, text: str) -> None:
    """A fence is a code block with its language, whatever its lines look like."""
    expected = [prose("Before:"), code(language or None, text), prose("after")]
    fence = f"{marker}{language.upper()} title=x\n{text}\n{marker}"
    if not language:
        fence = f"{marker}\n{text}\n{marker}"
    assert expected == classify_content(f"Before:\n{fence}\nafter")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("```py\na\n\n```", [code("py", "a\n")]),
        ("```py\na\n", [code("py", "a")]),
        ("```py", [code("py", "")]),
        ("```\n```", [code(None, "")]),
        ("````md\n```\na\n```\n````", [code("md", "```\na\n```")]),
        ("```a\n~~~\n```", [code("a", "~~~")]),
        ("  ```a\n    b\n c\n  ```", [code("a", "  b\nc")]),
        ("```a\n    ```\n```", [code("a", "    ```")]),
        ("``` a` ```", [prose("``` a` ```")]),
        (f"{LONG_SPAN}\n```\na\n```", [prose(LONG_SPAN), code(None, "a")]),
        ("a\r```py\rb\r\n\r\n```\rc", [prose("a"), code("py", "b\n"), prose("c")]),
        ("```\n\0\ud800\n```", [code(None, "\0\ud800")]),
    ],
    ids=range(12),
)
def test_edges_of_a_fence(body: str, expected: list[Payload]) -> None:
    """A fence ends where CommonMark ends it; one that is still open goes on to the end."""
    assert expected == classify_content(body)


@pytest.mark.parametrize(
    "body",
    [
        MARKDOWN,
        TABLE,
        f"Look:\n\n{TABLE}\n\nSo.",
        "1. step\n\n   ```sh\n   make\n   ```\n\n2. step",
        "- step\n  ```sh\n  make\n  ```",
        "> ```sh\n> make\n> ```",
        "- a\n    - b\n        - c",
        "<details>\n<summary>x</summary>\n/tmp/a.png\n</details>",
        "Use `<html>` and a `diff --git` of `a.png`.",
        "<html> is a tag\n<htmlx>",
        "diff --git compares\ntwo files",
        "--- a\n+++ b\nno hunk",
        "a [b] {c}",
        "12",
        '"text"',
        "[[a]]",
        "{not json}",
        "[1]\n[2]",
        '{"a":1} {"b":2}\n{}',
        "2026-01-02T10:00:00 released\n2026-01-03T10:00:00 fixed",
        "ERROR: a\nERROR: b\nERROR: c\nwhich is why\nI changed\nit.",
        "An escape \x1b alone.",
        f"# A long line\n\n{LONG}",
        "![a](b.png) and more",
        "[![a](b.png)](c)",
        "![a](b c.png)",
        '![a](b.png "title")',
        "see a.png\nor **a.png**",
        "    \n\n  a\n \t\nb  ",
    ],
    ids=range(29),
)
def test_markdown(body: str) -> None:
    """Tables, lists with fences in them, and what only looks a little like something else."""
    assert [prose(body.removeprefix("    \n\n"))] == classify_content(body)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "a\n\n    b\n    \tc\n\n     d\n\ne",
            [prose("a"), code(None, "b\n\tc\n\n d"), prose("e")],
        ),
        ("\ta", [code(None, "a")]),
        ("a\n    b", [prose("a\n    b")]),
        ("[a]: b\n    c", [prose("[a]: b\n    c")]),
        ("- a\n\n      b", [prose("- a\n\n      b")]),
    ],
    ids=range(5),
)
def test_indented_code(body: str, expected: list[Payload]) -> None:
    """What CommonMark takes for indented code is code, without the indentation."""
    assert expected == classify_content(body)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (GIT_DIFF, [Diff(text=GIT_DIFF)]),
        (README_DIFF, [Diff(text=README_DIFF)]),
        (f"```diff\n{GIT_DIFF}\n```", [Diff(text=GIT_DIFF)]),
        ("~~~Patch a.py\n+a\n~~~", [Diff(text="+a")]),
        (f"```\n{GIT_DIFF}\n```", [code(None, GIT_DIFF)]),
        (
            f"So:\n{README_DIFF}\n\n- done\n\n```\na\n```",
            [prose("So:"), Diff(text=README_DIFF), prose("- done"), code(None, "a")],
        ),
        (f"{GIT_DIFF}\n\n---\nend", [Diff(text=GIT_DIFF), prose("---\nend")]),
        (f"{GIT_DIFF}\n\n{GIT_DIFF}\n", [Diff(text=f"{GIT_DIFF}\n\n{GIT_DIFF}")]),
        (f"diff -u a b\n{README_DIFF}", [Diff(text=f"diff -u a b\n{README_DIFF}")]),
        ("diff --git a/b b/b", [Diff(text="diff --git a/b b/b")]),
        (GIT_DIFF.replace("\n", "\r\n"), [Diff(text=GIT_DIFF)]),
    ],
    ids=range(11),
)
def test_diff(body: str, expected: list[Payload]) -> None:
    """A diff is one, fenced or not, blank lines and fences of the file in it included."""
    assert expected == classify_content(body)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"\n{HTML}\n", [HtmlFile(text=HTML)]),
        (
            '<html lang="en"><p>a\n\n# b</html>',
            [HtmlFile(text='<html lang="en"><p>a\n\n# b</html>')],
        ),
        (f"```HTML\n{HTML.replace('```', '')}\n```", [HtmlFile(text=HTML.replace("```", ""))]),
        (f"Page:\n\n{HTML}\n\n*end*", [prose("Page:"), HtmlFile(text=HTML), prose("*end*")]),
        (HTML[:-7], [code("html", HTML[:-8])]),
        ("```html\n<html>\n```", [code("html", "<html>")]),
        ("<div>\n<p>a</p>\n</div>", [prose("<div>\n<p>a</p>\n</div>")]),
    ],
    ids=range(7),
)
def test_html_file(body: str, expected: list[Payload]) -> None:
    """A whole document is a file; a part of one, or one cut short, is source or Markdown."""
    assert expected == classify_content(body)


@pytest.mark.parametrize(
    ("body", "path", "alt"),
    [
        ("![a chart](out/chart.png)", "out/chart.png", "a chart"),
        (" ![](<my chart>) ", "my chart", None),
        ("![a](b(1).png)", "b(1).png", "a"),
        ("/home/shot_1.png", "/home/shot_1.png", None),
        ("C:\\a\\b.JPG\n", "C:\\a\\b.JPG", None),
        ("https://a.b/c.svg?raw=1", "https://a.b/c.svg?raw=1", None),
        ("![a](data:image/png;base64,iVBOR)", "data:image/png", "a"),
        (f"![a](data:image/png;base64,{LONG})", "data:image/png", "a"),
        (f"data:image/svg+xml,{LONG}", "data:image/svg+xml", None),
        ("![a](DATA:,x)", "DATA:", "a"),
    ],
    ids=range(10),
)
def test_image_reference(body: str, path: str, alt: str | None) -> None:
    """An image that stands alone is a reference, and never carries the data of its URL."""
    assert [ImageReference(path=path, alt=alt)] == classify_content(body)


def test_images_among_prose() -> None:
    """A paragraph of images and a line that names one part the prose around them."""
    body = "Saved to\n/tmp/a.png\nand:\n\n![b](b.png)\nc.gif\n\n![d](d.png)\nis inline"
    expected = [
        prose("Saved to"),
        ImageReference(path="/tmp/a.png"),  # noqa: S108 - nothing is written there
        prose("and:"),
        ImageReference(path="b.png", alt="b"),
        ImageReference(path="c.gif"),
        prose("![d](d.png)\nis inline"),
    ]
    assert expected == classify_content(body)


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ('{"a": [{"b": {"c": "}]"}}], "d": null}', False),
        ('[\n  {"a": 1e400},\n\n  []\n]', False),
        ("{}", False),
        ('{"half": "\\uD83d", "\ud800": "\\\\ud800"}', False),
        ('{"a":1}\n{"b":[2]}', True),
        ('{"a":1}\n\n  {"b":2} \n{}', True),
    ],
    ids=range(6),
)
def test_json(body: str, lines: bool) -> None:  # noqa: FBT001 - a column of the table
    """JSON is told by parsing it: a body, or a fence that says so."""
    assert [Json(text=body, lines=lines)] == classify_content(f"\n{body}\n")
    fence = f"a\n\n```json{'l' * lines}\n{body}\n```"
    assert [prose("a"), Json(text=body, lines=lines)] == classify_content(fence)


def test_json_that_nests_too_deep() -> None:
    """What cannot be checked is not called JSON."""
    assert [RawLog(text="[" * 10**6)] == classify_content("[" * 10**6)
    deep = "[" * 10**5 + "]" * 10**5
    assert [RawLog(text=deep)] == classify_content(deep)


@pytest.mark.parametrize(
    "line",
    [
        "2026-01-02 10:00:00,123 - root - INFO - a",
        "2026/01/02 10:00:00 http: a",
        "[10:00:00] a",
        "Jan  2 10:00:00 host sshd[1]: a",
        "[    1.234567] usb 1-1: a",
        "I0102 10:00:00.000000 1 a.go:1] a",
        '127.0.0.1 - - [02/Jan/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 1',
        "WARNING: a",
        "[error] a",
        "level=info msg=a",
        '{"level": "info", "msg": "cut',
        "\x1b[2m10:00:00\x1b[0m a",
    ],
)
def test_log(line: str) -> None:
    """Most lines begin with a time or a level; what stands between them is the log's, too."""
    log = f"{line}\n{line}\n\n    at <a>\n# b\n{line}\n{line}"
    assert [RawLog(text=log, ansi="\x1b" in line)] == classify_content(log)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (LOG, [RawLog(text=LOG)]),
        (f"Log:\n\n```log\n{LOG}\n```", [prose("Log:"), code("log", LOG)]),
        (f"{LOG}\n```\na\n```\n*b*", [RawLog(text=LOG), code(None, "a"), prose("*b*")]),
        (ANSI_LOG, [RawLog(text=ANSI_LOG, ansi=True)]),
        (
            f"Run:\n\n    make\n\n{ANSI_LOG}\n \n**So** it is.",
            [prose("Run:"), code(None, "make"), RawLog(text=ANSI_LOG, ansi=True),
             prose("**So** it is.")],
        ),
        (f"```\n{ANSI_LOG}\n```", [RawLog(text=ANSI_LOG, ansi=True)]),
        (
            "- \x1b[1ma\x1b[0m\n\n  ```py\n  b\n  ```",
            [RawLog(text="- \x1b[1ma\x1b[0m", ansi=True), code("py", "b")],
        ),
        ("\x1b]0;title\x07a", [RawLog(text="\x1b]0;title\x07a", ansi=True)]),
        ("10%\r20%\r\x1b[K", [RawLog(text="10%\n20%\n\x1b[K", ansi=True)]),
        (LONG, [RawLog(text=LONG)]),
        (f"a\n\n{LONG}\nb", [RawLog(text=f"a\n\n{LONG}\nb")]),
        (f"```\n{LONG}\n```\n- a", [code(None, LONG), prose("- a")]),
        (LONG[1:], [prose(LONG[1:])]),
    ],
    ids=range(13),
)  # fmt: skip
def test_raw_log(body: str, expected: list[Payload]) -> None:
    """Logs, terminal output and very long lines never meet a Markdown parser."""
    assert expected == classify_content(body)


def test_prose_and_source_mixed() -> None:
    """A long answer comes apart in order."""
    body = f"""
I fixed **two** things.

```python
print("a")
```
1. the diff
   ```text
   nested
   ```

{GIT_DIFF}

{TABLE}

![chart](chart.png)

```json
{{"a": [1]}}
```

~~~ts
still open
"""
    expected = [
        prose("I fixed **two** things."),
        code("python", 'print("a")'),
        prose("1. the diff\n   ```text\n   nested\n   ```"),
        Diff(text=GIT_DIFF),
        prose(TABLE),
        ImageReference(path="chart.png", alt="chart"),
        Json(text='{"a": [1]}'),
        code("ts", "still open"),
    ]
    assert expected == classify_content(body)


@pytest.mark.parametrize("body", ["", " ", "\n\t\r\n \u2003\n"])
def test_blank_body(body: str) -> None:
    """Nothing comes of nothing."""
    assert [] == classify_content(body)


@pytest.mark.parametrize(
    ("payload", "wire"),
    [
        (prose("a"), b'{"type":"markdown","text":"a"}'),
        (code(None, "a"), b'{"type":"code-block","text":"a","language":null}'),
        (Diff(text="a"), b'{"type":"diff","text":"a"}'),
        (HtmlFile(text="a"), b'{"type":"html-file","text":"a"}'),
        (ImageReference(path="a"), b'{"type":"image-reference","path":"a","alt":null}'),
        (Json(text="{}"), b'{"type":"json","text":"{}","lines":false}'),
        (RawLog(text="a"), b'{"type":"raw-log","text":"a","ansi":false}'),
    ],
    ids=lambda value: type(value).__name__,
)
def test_wire_form(payload: Payload, wire: bytes) -> None:
    """A payload is written with its type, and read back by it."""
    assert wire == msgspec.json.encode(payload)
    decoded: Payload = msgspec.json.decode(wire, type=Payload)
    assert payload == decoded


def test_plain_markdown_imports_no_parser() -> None:
    """Only what may hold a block of another kind is worth a Markdown parser."""
    program = (
        "import sys\n"
        "from agentframes.content.classify import classify_content\n"
        f"for body in ({MARKDOWN!r}, {TABLE!r}, {LOG!r}, {GIT_DIFF!r}, '{{}}', {LONG!r}):\n"
        "    classify_content(body)\n"
        "print('markdown_it' in sys.modules)\n"
        "classify_content('```')\n"
        "print('markdown_it' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert ["False", "True"] == done.stdout.decode().split()


LARGE = "- a\n  ```\n  b\n  ```\n\n" * (PARSED_LINES // 4)


def test_large_body_is_scanned() -> None:
    """A body too long to parse is cut at its margin's fences, diffs and HTML files all the same."""
    body = f"{LARGE}```py\na\n  ```\n{GIT_DIFF}\n\nend\n~~~\n```diff\n{HTML}"
    expected = [
        prose(LARGE.rstrip()), code("py", "a"), Diff(text=GIT_DIFF), prose("end"),
        code(None, f"```diff\n{HTML}"),
    ]  # fmt: skip
    assert expected == classify_content(body)


@pytest.mark.parametrize(
    "unit",
    [
        "[", "{", "(", "<", "*", ">", "`", "\\", "\x1b", "\0", "\ud800", "\t", "\r", "![", "![](",
        "- ", "> ", "> - ", "a.png?", "<html ", "\n", "a\n", "- a\n", "1. a\n", "|a|\n", "[a]: b\n",
        "    a\n", "    a\n\nb\n\n", "```\n", "````\n```\n", "- ```\n", "a\n===\n", "![a](b.png)\n",
        "--- a\n", "--- a\n+++ b\n@@ \n\n", "<html>\n", "</html>\n", "{}\n", "\x1b[m\n",
        "\x1b[m\n\n", "10:00:00\n",
    ],
)  # fmt: skip
@pytest.mark.parametrize("size", [20_000, 300_000])
def test_hostile_repetition(unit: str, size: int) -> None:
    """Whatever is repeated, the time is bounded: what is quadratic would take minutes."""
    begun = time.process_time()
    classify_content("```\na\n```\n" + unit * (size // len(unit)))
    classify_content(unit * (size // len(unit)))
    assert 10 > time.process_time() - begun


LINES = st.sampled_from([
    "", " ", "a", "  b", "    c", "\td", "# e", "- f", "  - g", "1. h", "> i", "| j |", "***",
    "===", "```", "```py", "  ```", "    ```", "````", "~~~", "~~~ json", "- ```", "> ```",
    "```diff", "```html", "![k](l.png)", "m.png", "![](data:image/png;base64,AA)", "[n]: o",
    "<div>", "<!--", "-->", "<!doctype html>", "<html>", "</html>", "diff --git a/p b/p",
    "--- a/p", "+++ b/p", "@@ -1 +1 @@", "+q", "-r", "index 1..2", '{"s":1}', "{}", "[", "]",
    "10:00:00 t", "INFO u", "\x1b[1mv", "\x1b", "w\u2028x", "\x0by", "\x85", "\0", "\ud800",
])  # fmt: skip
BODIES = st.one_of(
    st.lists(LINES, max_size=30).map("\n".join),
    st.tuples(st.lists(LINES, max_size=30), st.sampled_from(["\n", "\r\n", "\r"])).map(
        lambda drawn: drawn[1].join(drawn[0]) + drawn[1]
    ),
    st.text(st.sampled_from('`~ \t\n\r-+>#<![](){}"ab.\x1b'), max_size=80),
    st.text(st.characters(exclude_categories=()), max_size=80),
)
MARKER = re.compile(r"(`{3}|~{3})")


def shown(payload: Payload) -> list[str | ImageReference]:
    """Split a payload into its lines; an image stands for its own."""
    return [payload] if isinstance(payload, ImageReference) else [*payload.text.split("\n")]


def is_line(line: str, part: str | ImageReference) -> bool:
    """Tell whether a part of a payload is that line of the body, indentation apart."""
    if isinstance(part, str):
        return part.strip() == line.strip()
    return part.path in line and (part.alt or "") in line


def check_lines(body: str) -> None:
    """Compare the lines of a body with those of its payloads, without markers and blank lines."""
    wanted = [line for line in re.split(r"\r\n?|\n", body) if line.strip()]
    given = [
        part
        for payload in classify_content(body)
        for part in shown(payload)
        if isinstance(part, ImageReference) or part.strip()
    ]
    markers = [line.strip() for line in wanted if MARKER.match(line.strip())]
    for part in given:
        if isinstance(part, str) and MARKER.match(part.strip()):
            markers.remove(part.strip())
    lines = [line for line in wanted if not MARKER.match(line.strip())]
    parts = [part for part in given if not (isinstance(part, str) and MARKER.match(part.strip()))]
    assert len(lines) == len(parts)
    assert [] == [pair for pair in zip(lines, parts, strict=True) if not is_line(*pair)]


@settings(max_examples=500, deadline=None)
@given(BODIES)
def test_every_line_is_in_one_payload(body: str) -> None:
    """Nothing of a body is lost, doubled or moved, but for marker lines and blank ones."""
    check_lines(body)


@settings(max_examples=50, deadline=None)
@given(BODIES)
def test_every_line_of_a_large_body_is_in_one_payload(body: str) -> None:
    """The scanner of large bodies loses nothing, either."""
    check_lines(body + "\n" + "a\n" * PARSED_LINES + body)


@settings(max_examples=200, deadline=None)
@given(BODIES)
def test_payloads_keep_their_promises(body: str) -> None:
    """JSON parses, images carry no data, logs tell whether they have escapes, none is blank."""
    for payload in classify_content(body):
        if isinstance(payload, ImageReference):
            assert "base64" not in payload.path
        elif isinstance(payload, RawLog):
            assert payload.ansi == bool(re.search("\x1b[@-_()#78=>c]", payload.text))
        elif isinstance(payload, Json):
            rows = payload.text.split("\n") if payload.lines else [payload.text]
            assert all(
                isinstance(msgspec.json.decode(row), dict | list) for row in rows if row.strip()
            )
        elif isinstance(payload, Markdown):
            assert "" != payload.text.strip()
