"""The lessons of the book run as they stand, in order."""

from __future__ import annotations

import re
from pathlib import Path

CHAPTER = Path(__file__).parents[3] / "docs" / "src" / "python.md"


def test_the_lessons_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = CHAPTER.read_text(encoding="utf-8")
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    assert len(blocks) >= len(re.findall(r"^## Lesson", text, re.MULTILINE)) > 0
    names: dict[str, object] = {}
    for block in blocks:
        # Errors name the line of the chapter.
        code = "\n" * text[: block.start(1)].count("\n") + block[1]
        exec(compile(code, str(CHAPTER), "exec"), names)
    assert (tmp_path / "last.png").stat().st_size > 0
