"""lessons: what students get, what lecturers get, and what is said when an exercise is not complete."""

import re
from copy import deepcopy
from html import unescape

import nbformat
import pytest
from bs4 import BeautifulSoup
from click.testing import CliRunner
from mini_project import make_project
from nbformat.v4 import new_code_cell, new_notebook, new_output

import genexpy_nb as gx
from genexpy_nb.cli import main
from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.common.exercises import RIGHT, seal
from genexpy_nb.common.page import NAMESPACE
from genexpy_nb.reporting.execute import run
from genexpy_nb.reporting.html import POLICY, Page, to_html
from genexpy_nb.reporting.lessons import assigned, read_deck, read_exercises, student_notebook, to_slides, write_lessons
from genexpy_nb.reporting.pairing import ANSWERS, dumps, find_notebook, read_source, without_answers
from genexpy_nb.reporting.spec import load_reports

#: A gray image of one pixel.
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="

TOLD_1 = {
    "seal": seal("01-1", 4),
    "hints": ["Use both hands.", "Raise fingers."],
    "wrong": {seal("01-1", 5): "One less."},
}
TOLD_2 = {"seal": seal("01-2", [8, 4]), "hints": ["Add.", "Add twice."]}
LESSON = f'''# %% [markdown]
# # Counting
#
# **You need** fingers.
#
# **Time** 5 minutes to read, 20 with the exercises.

# %% [markdown]
# ## Setup

# %%
import genexpy_nb as gx

# %% [markdown]
# ## The idea
#
# Four is $2 + 2$.
#
# > Aside: This is for the margin.

# %%
print("shown on the slide")

# %% [markdown] tags=["exercise"]
# ## Exercises

# %% [markdown] tags=["exercise"]
# ### Exercise 1: Sums
#
# *Understanding · 5 minutes.* What is 2 + 2? Assign it to `answer_1`.

# %% tags=["solution"]
answer_1 = 2 + 1 + 1

# %% tags=["check"]
gx.check("01-1", answer_1, {TOLD_1})

# %% [markdown] tags=["explanation"]
# **Why.** Because $4 = 2 + 2$, and a secret reason.

# %% [markdown] tags=["exercise"]
# ### Exercise 2: Functions
#
# *Project · 10 minutes.* Write `answer_2`.

# %% tags=["solution"]
def answer_2(x):
    """Return the double."""
    ### BEGIN SOLUTION
    doubled = x + x
    return doubled
    ### END SOLUTION


### BEGIN SOLUTION
answer_3, hidden = [4, 2], 1
### END SOLUTION

# %% tags=["check"]
gx.check("01-2", lambda: [answer_2(n) for n in answer_3], {TOLD_2})

# %% [markdown] tags=["explanation"]
# **Why.** Another secret reason.

# %% [markdown]
# ## Further reading
'''

#: Slides.
DECK = [
    "# Counting\n\nWhat is a sum?\n\nNotes: Ask *who* counts.\nThen wait.\n",
    "## Four\n\nFour is $2 + 2$, measured {number}`n-four`.\n\n![](figure:hands)\n",
    "## Vote\n\n<details><summary>Reveal</summary>It is four.</details>\n",
]

#: What the checks and the other cells of code of `LESSON` show.
SHOWN = {"print(": "shown on the slide\n", "gx.check(": RIGHT}


def with_outputs(node):
    """What a run would give; no kernel is started for it."""
    for count, cell in enumerate((cell for cell in node.cells if cell.cell_type == "code"), start=1):
        cell.execution_count = count
        said = next((text for start, text in SHOWN.items() if cell.source.startswith(start)), None)
        if said is not None and cell.source.startswith("print"):
            cell.outputs = [new_output("stream", name="stdout", text=said)]
        elif said is not None:
            data = {"text/markdown": said, "text/plain": said}
            cell.outputs = [new_output("execute_result", data=data, execution_count=count)]
    return node


@pytest.fixture
def project(tmp_path):
    """project(source) writes it as a notebook that was run."""

    def made(source=LESSON, name="01_count"):
        root = make_project(tmp_path / "project", {name: source}, {"counting": f"notebook: {name}\ntitle: Counting\n"})
        pair = find_notebook(root, name)
        pair.ipynb.write_text(dumps(with_outputs(read_source(pair))), encoding="utf-8")
        (root / "notebooks" / "slides").mkdir()
        (root / "notebooks" / "slides" / f"{name}.md").write_text("---\n".join([DECK[0], DECK[2]]), encoding="utf-8")
        return root

    return made


@pytest.fixture
def lesson(project):
    node = read_source(find_notebook(project(), "01_count"))
    return node, read_exercises(node, "01_count")


def test_exercises_are_found_with_all_that_belongs_to_them(lesson):
    node, (first, second) = lesson
    assert (first.title, first.kind, first.minutes, first.names) == ("Sums", "Understanding", 5, ("answer_1",))
    assert (second.number, second.kind, second.names) == (2, "Project", ("answer_2", "answer_3"))
    cells = [node.cells[place] for place in (first.question, *first.solutions, first.check, first.explanation)]
    assert [cell.metadata.tags[0] for cell in cells] == ["exercise", *ANSWERS]


_OPEN, _END = r"<details><summary>Worked solution</summary>\n\n", r"\n\n</details>"
FOLDED = re.compile(rf"{_OPEN}```python\n(.*)\n```\n\n(.*){_END}", re.DOTALL)


def folded(made):
    """What is folded away in a student's notebook: the code of each worked solution, and the text below it."""
    return [found.groups() for cell in made.cells if (found := FOLDED.fullmatch(cell.source))]


def test_students_get_stubs_and_solutions_that_are_folded(lesson):
    node, exercises = lesson
    before = deepcopy(node)
    made = student_notebook(node, exercises, "01_count")
    assert node == before
    nbformat.validate(made)
    assert "jupytext" not in made.metadata
    text = dumps(made)
    assert "SOLUTION" not in text
    plain = student_notebook(node, exercises, "01_count", solutions=False)
    assert not re.search(r"2 \+ 1 \+ 1|doubled|hidden|secret|SOLUTION|worked", dumps(plain))
    secrets = [at for at, cell in enumerate(made.cells) if re.search(r"2 \+ 1 \+ 1|doubled|hidden|secret", cell.source)]
    scope = {"gx": gx}
    for at, exercise, (code, why) in zip(secrets, exercises, folded(made), strict=True):
        assert made.cells[at - 1].source.startswith("gx.check") and why == node.cells[exercise.explanation].source
        exec(code, scope)
        assert eval(node.cells[exercise.check].source, scope) == RIGHT
    assert "worked solution" in made.cells[0].source
    sources = [cell.source for cell in made.cells]
    assert "answer_1 = ...  # your answer" in sources
    scaffold = (
        'def answer_2(x):\n    """Return the double."""\n    ...  # your answer\n\n\nanswer_3 = ...  # your answer'
    )
    assert scaffold in sources
    assert "three dots" in sources[0] and "`answer_1`, `answer_2`, `answer_3`" in sources[0]
    assert "2 exercises, about 15 minutes" in sources[0]
    assert all(not cell.outputs and cell.execution_count is None for cell in made.cells if cell.cell_type == "code")
    questions = [cell.source for cell in node.cells if cell.metadata.get("tags") in (["exercise"], ["check"])]
    assert all(source in sources for source in questions)


def test_a_student_s_notebook_runs_and_says_what_is_missing(lesson, project):
    node, exercises = lesson
    made = student_notebook(node, exercises, "01_count")
    said = []
    scope = {}
    for cell in made.cells:
        if cell.cell_type == "code" and cell.source.startswith("gx.check"):
            said.append(eval(cell.source, scope))
        elif cell.cell_type == "code":
            exec(cell.source, scope)
    assert [each.split(".")[0] for each in said] == ["○ **Not answered yet", "○ **Not answered yet"]
    scope |= {"answer_1": 5, "answer_2": lambda x: 2 * x, "answer_3": (4, 2)}
    checks = [node.cells[exercise.check].source for exercise in exercises]
    assert [str(eval(source, scope)) for source in checks] == ["✗ **Not right.** One less.", RIGHT]


# As nbgrader documents it: https://nbgrader.readthedocs.io/en/stable/contributor_guide/metadata.html
NBGRADER = {
    "schema_version": int,
    "grade": bool,
    "solution": bool,
    "locked": bool,
    "task": bool,
    "grade_id": str,
    "cell_type": str,
}


def test_nbgrader_finds_answers_and_checks(lesson):
    node, exercises = lesson
    cells = [cell for cell in student_notebook(node, exercises, "01_count").cells if "nbgrader" in cell.metadata]
    told = [cell.metadata.nbgrader for cell in cells]
    for cell, each in zip(cells, told, strict=True):
        kinds = NBGRADER | ({"points": int} if each["grade"] else {})
        assert {name: type(value) for name, value in each.items()} == kinds
        assert each["schema_version"] == 3 and each["cell_type"] == cell.cell_type and not each["task"]
        assert re.fullmatch(r"[\w-]+", each["grade_id"])
        assert each["grade"] == each["locked"] == cell.source.startswith("gx.check") != each["solution"]
    assert [each["grade_id"] for each in told] == ["answer-01-1", "check-01-1", "answer-01-2", "check-01-2"]
    assert [each.get("points") for each in told] == [None, 1, None, 3]


def cut(start, end=""):
    """`LESSON` without the part from one text to before another."""
    begin = LESSON.index(start)
    return LESSON[:begin] + (LESSON[LESSON.index(end, begin) :] if end else "")


SOLUTION_1 = '# %% tags=["solution"]\nanswer_1 = 2 + 1 + 1\n'
CHECK_1 = LESSON[LESSON.index('# %% tags=["check"]') : LESSON.index('# %% [markdown] tags=["explanation"]')]
FOLLOW = "its cells follow each other as exercise"
BROKEN = {
    f"exercise 1 (cell 7): {FOLLOW}": LESSON.replace(CHECK_1, ""),
    "exercise 1 (cell 7): its check asks for answer_1, which its solution does not assign": LESSON.replace(
        "answer_1 = 2", "answer_l = 2"
    ),
    "cell 7: its tag is check, but there is no exercise above it": cut(
        '# %% [markdown] tags=["exercise"]\n# ### Exercise 1', CHECK_1
    ),
    "exercise 1 (cell 7): its text begins with": LESSON.replace("Understanding · 5", "Understanding - 5"),
    'exercise 1 (cell 7): its check must be one call, gx.check("01-1"': LESSON.replace('"01-1", a', '"01-2", a'),
    f"exercise 1 (cell 7): {FOLLOW}, solution, check": LESSON.replace(CHECK_1, CHECK_1 * 2),
    f"exercise 1 (cell 7): {FOLLOW}, solution, check, explanation": LESSON.replace(
        SOLUTION_1, "# %%\n1\n\n" + SOLUTION_1
    ),
    "cell 8: a cell is one of solution and check, not both": LESSON.replace('["solution"]', '["solution", "check"]', 1),
    "cell 10: a cell tagged explanation is text": LESSON.replace(
        '[markdown] tags=["explanation"]', 'tags=["explanation"]'
    )
    .replace("# **Why.** Because", "_ = '**Why.** Because")
    .replace("a secret reason.", "a secret reason.'"),
    "cell 12: ### BEGIN SOLUTION and ### END SOLUTION must come in pairs": LESSON.replace("1\n### END SOLUTION", "1"),
}


@pytest.mark.parametrize("said", BROKEN)
def test_an_exercise_that_is_not_complete_is_named(said, project, tmp_path):
    with pytest.raises(DataError, match=re.escape(f"01_count, {said}")):
        write_lessons(project(BROKEN[said]), output=tmp_path / "out", say=lambda line: None)
    assert not (tmp_path / "out").exists()


def test_an_exercise_stands_after_any_section(project):
    moved = LESSON.replace(
        '# %% [markdown] tags=["exercise"]\n# ### Exercise 2',
        '# %% [markdown]\n# ## More\n\n# %%\n7\n\n# %% [markdown] tags=["exercise"]\n# ### Exercise 2',
    )
    node = read_source(find_notebook(project(moved), "01_count"))
    exercises = read_exercises(node, "01_count")
    assert [each.question for each in exercises] == [6, 12]
    made = student_notebook(node, exercises, "01_count")
    assert [why for _, why in folded(made)] == [node.cells[each.explanation].source for each in exercises]


def test_other_things_that_are_wrong(project, tmp_path):
    root = project()
    with pytest.raises(ParameterError, match=r"no notebook '01_cuont' in notebooks/; did you mean '01_count'\?"):
        write_lessons(root, ["01_cuont"], tmp_path / "out")
    with pytest.raises(ParameterError, match="a folder of its own"):
        write_lessons(root, output=root / "notebooks")
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot be written to"):
        write_lessons(root, output=tmp_path / "file" / "out", say=lambda line: None)
    pair = find_notebook(root, "01_count")
    pair.py.write_text(LESSON.replace("Four is", "Five is"), encoding="utf-8")
    with pytest.raises(DataError, match=r"cell 4 is not what the \.py says: .* \(genexpy-nb notebooks sync 01_count"):
        write_lessons(root, output=tmp_path / "out")
    pair.py.write_text(LESSON.replace("$2 + 2$", r"$\nosuch$"), encoding="utf-8")
    pair.ipynb.write_text(dumps(with_outputs(read_source(pair))), encoding="utf-8")
    with pytest.raises(DataError, match="nosuch"):
        write_lessons(root, output=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_command_writes_all_and_links_it(project, tmp_path):
    root = project()
    done = CliRunner().invoke(main, ["--root", str(root), "lessons", "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "01_count: 2 exercises, 2 slides" in done.output
    files = sorted(str(file.relative_to(tmp_path / "out")) for file in (tmp_path / "out").rglob("*") if file.is_file())
    assert files == ["index.html", "instructors/01_count.html", "slides/01_count.html", "students/01_count.ipynb"]
    index = BeautifulSoup((tmp_path / "out" / "index.html").read_text(encoding="utf-8"), "html.parser")
    assert {link["href"] for link in index.select("main a")} == set(files) - {"index.html"}
    text = index.main.get_text(" ", strip=True)
    assert "5 minutes to read, 20 with the exercises" in text and "Needs fingers." in text and "2. Functions" in text
    for folder in ("instructors", "slides"):
        file = tmp_path / "out" / folder / "01_count.html"
        page = BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser")
        policy = page.select_one("meta[http-equiv=Content-Security-Policy]")["content"]
        scripts = page.select("script")  # only the keys of slides, which the policy names
        assert policy.removeprefix(POLICY).startswith("; script-src 'sha256-" if scripts else "")
        assert len(scripts) == (folder == "slides") and not page.select("link, iframe")
        for link in page.select("a[href]"):
            address, _, anchor = link["href"].partition("#")
            assert (file.parent / address).resolve().exists(), link
            assert address or page.find(id=anchor), link


def test_the_command_writes_student_notebooks_only_and_without_solutions(project, tmp_path):
    root, files = project(), []
    for options in ([], ["--students"], ["--students", "--no-solutions"]):
        out = tmp_path / f"out{len(files)}"
        done = CliRunner().invoke(main, ["--root", str(root), "lessons", "-o", str(out), *options])
        assert done.exit_code == 0, done.output
        files.append({file.relative_to(out).as_posix(): file.read_text() for file in out.rglob("*") if file.is_file()})
    everything, students, plain = files
    assert "index.html" in everything and students and done.output.endswith("students\n")
    assert students == {name: text for name, text in everything.items() if name.startswith("students/")}
    assert ["Another secret reason" in str(files) for files in (students, plain)] == [True, False]


def test_lecturers_see_solutions_and_reports_fold_them(project):
    root = project()
    report = load_reports(root)["counting"]
    node = nbformat.read(report.notebook.ipynb, as_version=4)
    for lessons in (True, False):
        html, problems = to_html(node, Page(report, [], "now", lessons=lessons))
        assert to_html(node, Page(report, [], "now", lessons=lessons))[0] == html
        soup = BeautifulSoup(html, "html.parser")
        folded = " ".join(each.extract().get_text(" ") for each in soup.select("details"))
        text = " ".join(unescape(soup.get_text(" ")).split())
        assert problems == [] and "What is 2 + 2?" in text
        for secret in ("2 + 1 + 1" if lessons else "answer_1 =", "secret reason", "Right.", "Use both hands"):
            assert (secret in text) == lessons, secret
        for secret in ("answer_1 =", "secret reason"):
            assert (secret in " ".join(folded.split())) != lessons, secret


def test_a_report_does_not_run_solutions_and_finds_what_fails_after_them(tmp_path):
    source = LESSON.replace("answer_1 = 2 + 1 + 1", "raise SystemError('a solution was run')")
    source = source.replace("# %% [markdown]\n# ## Further reading\n", "# %%\nprint('end')\n\n1 / 0\n")
    root = make_project(tmp_path, {"01_count": source}, {})
    node, failure = run(find_notebook(root, "01_count"), {})
    assert len(without_answers(node).cells) == len(node.cells)
    assert failure.message == "ZeroDivisionError: division by zero"
    line = source.splitlines().index("1 / 0") + 1
    assert failure.place == f"notebooks/01_count.py:{line}" and failure.cell == 15
    node, failure = run(find_notebook(root, "01_count"), {}, inject=False, answers=True)
    assert "a solution was run" in failure.message and len(node.cells) == 15


def executed(*kept):
    """A notebook with one figure, called hands, and one key number, called n-four."""
    figure = {"kind": "figure", "name": "hands", "caption": "c", "alt": "two hands"}
    number = {"name": "n-four", "label": "four", "value": 4.0, "decimals": 2}
    table = {"kind": "table", "name": "key-numbers", "caption": "c", "csv": "", "numbers": [number]}
    shown = [
        new_output("display_data", {"image/png": PIXEL, "text/plain": "f"}, metadata={NAMESPACE: figure}),
        new_output("display_data", {"text/html": "<table></table>"}, metadata={NAMESPACE: table}),
    ]
    return new_notebook(cells=[new_code_cell("hands()", outputs=shown), *kept])


def test_slides_are_what_was_written_for_them_with_figures_and_numbers_of_the_notebook(project):
    report = load_reports(project())["counting"]
    html, problems = to_slides(executed(), DECK, report)
    soup = BeautifulSoup(html, "html.parser")
    first, second, third = soup.select("main > section.slide")
    assert problems == [] and first.h1.get_text() == "Counting"
    assert first.aside.get_text() == "Ask *who* counts. Then wait." and "Notes" not in soup.main.get_text()
    assert "measured 4.00" in second.get_text() and second.math is not None and second.img["alt"] == "two hands"
    assert third.details.summary.get_text() == "Reveal" and "hands()" not in html
    assert [link["href"] for link in second.footer.select("a")] == ["../index.html", "#slide-1", "#slide-3"]
    assert second.footer.get_text(" ", strip=True).endswith("2 / 3")
    assert to_slides(executed(), [], report) == ("", [])
    assert read_deck(report.notebook) == [DECK[0], DECK[2]]


@pytest.mark.parametrize(
    ("slide", "problem"),
    [
        ("## A\n\n" + "word " * 41, "slide 1 of 01_count: 41 words, 40 at most"),
        ("## A\n\n![](figure:feet)", "slide 1 of 01_count: the notebook has no figure or key number 'feet'"),
        ("## A\n\n{number}`n-five`", "slide 1 of 01_count: the notebook has no figure or key number 'n-five'"),
        ("## A\n\n![](figure:hands)\n\n![](figure:hands)", "slide 1 of 01_count: 2 figures, one at most"),
    ],
)
def test_what_is_wrong_with_a_slide_is_said(project, slide, problem):
    assert problem in to_slides(executed(), [slide], load_reports(project())["counting"])[1]


def test_keys_turn_slides_and_each_prints_on_a_page(project, tab, tmp_path):
    report = load_reports(project())["counting"]
    file = tmp_path / "slides.html"
    file.write_text(to_slides(executed(), DECK, report)[0], encoding="utf-8")
    press = "(document.dispatchEvent(new KeyboardEvent('keydown', {key: '%s'})), Math.round(scrollY / innerHeight))"
    for width, height in ((1280, 720), (1024, 768)):
        tab.look(width, height)
        tab.visit(file)
        pressed = ["ArrowRight", "ArrowLeft", "ArrowLeft", "PageDown", " ", "ArrowRight"]
        assert [tab.evaluate(press % key) for key in pressed] == [1, 0, 0, 1, 2, 2]
        tab.evaluate(press % "r")
        assert tab.evaluate("document.querySelector('details').open") is True
        notes = "getComputedStyle(document.querySelector('.notes')).display"
        assert tab.evaluate(notes) == "none" and tab.evaluate(press % "n") == 2
        assert tab.evaluate(notes) == "block"
        over = "[...document.querySelectorAll('.slide-body')].map(e => e.scrollHeight - e.clientHeight)"
        assert max(tab.evaluate(over)) <= 1, (width, height)
    assert tab.complaints() == []
    tab.pdf(tmp_path / "slides.pdf")
    assert len(re.findall(rb"/Type\s*/Page\b", (tmp_path / "slides.pdf").read_bytes())) == len(DECK)


def test_what_code_assigns():
    assert assigned("for answer_1 in x:\n    answer_2 = [y for y in x]\nanswers = answer_3 = 1") == [
        "answer_1",
        "answer_2",
        "answer_3",
    ]
