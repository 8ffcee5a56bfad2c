"""lessons: what students get, what lecturers get, and what is said when an exercise is not complete."""

import re
from copy import deepcopy
from html import unescape

import nbformat
import pytest
from bs4 import BeautifulSoup
from chromium import BROWSER, MISSING, chromium
from click.testing import CliRunner
from mini_project import make_project
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from genexpy_nb.cli import main
from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.common.exercises import RIGHT, seal
from genexpy_nb.reporting.execute import run
from genexpy_nb.reporting.html import POLICY, Page, to_html
from genexpy_nb.reporting.lessons import (
    assigned,
    read_exercises,
    student_notebook,
    to_slides,
    write_lessons,
)
from genexpy_nb.reporting.pairing import ANSWERS, dumps, find_notebook, read_source, without_answers
from genexpy_nb.reporting.spec import load_reports

LESSON = f'''# %% [markdown] tags=["slide"]
# # Counting
#
# **You need** fingers.
#
# **Time** 5 minutes to read, 20 with the exercises.

# %% [markdown]
# ## Setup

# %%
from genexpy_nb.common import exercises

# %% [markdown] tags=["slide"]
# ## The idea
#
# Four is $2 + 2$.
#
# > Aside: This is for the margin.

# %% tags=["subslide"]
print("shown on the slide")

# %% [markdown] tags=["exercise"]
# ## Exercises

# %% [markdown] tags=["exercise"]
# ### 1. Sums
#
# *Understanding · 5 minutes.* What is 2 + 2? Assign it to `answer_1`.

# %% tags=["solution"]
answer_1 = 2 + 1 + 1

# %% tags=["check"]
exercises.check(
    "01-1", answer_1, "{seal("01-1", 4)}", hint="Use both hands.", wrong={{"{seal("01-1", 5)}": "One less."}}
)

# %% [markdown] tags=["explanation"]
# **Why.** Because $4 = 2 + 2$, and a secret reason.

# %% [markdown] tags=["exercise"]
# ### 2. Functions
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
exercises.check("01-2", lambda: [answer_2(n) for n in answer_3], "{seal("01-2", [8, 4])}", hint="Add.")

# %% [markdown] tags=["explanation"]
# **Why.** Another secret reason.

# %% [markdown]
# ## Further reading
'''

#: What the checks and the other cells of code of `LESSON` show.
SHOWN = {"print(": "shown on the slide\n", "exercises.check(": RIGHT}


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


def test_students_get_stubs_and_nothing_that_solves(lesson):
    node, exercises = lesson
    before = deepcopy(node)
    made = student_notebook(node, exercises, "01_count")
    assert node == before
    nbformat.validate(made)
    assert "jupytext" not in made.metadata
    text = dumps(made)
    assert not re.search(r"2 \+ 1 \+ 1|doubled|hidden|secret|SOLUTION", text)
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
        if cell.cell_type == "code" and cell.source.startswith("exercises.check"):
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
        assert each["grade"] == each["locked"] == cell.source.startswith("exercises.check") != each["solution"]
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
    f"exercise 1 (cell 7): {FOLLOW}, solution": LESSON.replace(SOLUTION_1, ""),
    f"exercise 2 (cell 11): {FOLLOW}": cut(
        '# %% [markdown] tags=["explanation"]\n# **Why.** Another', "# %% [markdown]\n# ## Further"
    ),
    "exercise 1 (cell 7): its check asks for answer_1, which its solution does not assign": LESSON.replace(
        "answer_1 = 2", "answer_l = 2"
    ),
    "cell 7: its tag is solution, but there is no exercise above it": cut(
        '# %% [markdown] tags=["exercise"]\n# ### 1', SOLUTION_1
    ),
    "cell 7: its tag is check, but there is no exercise above it": cut(
        '# %% [markdown] tags=["exercise"]\n# ### 1', CHECK_1
    ),
    "exercise 2 (cell 11): its heading must be '### 2. Title'": LESSON.replace("### 2. Functions", "### 3. Functions"),
    "exercise 1 (cell 7): its text begins with": LESSON.replace("Understanding · 5", "Understanding - 5"),
    'exercise 1 (cell 7): its check must be one call, exercises.check("01-1"': LESSON.replace('"01-1", a', '"01-2", a'),
    'exercise 2 (cell 11): its check must be one call, exercises.check("01-2"': LESSON.replace(
        "lambda: [answer_2(n) for n in answer_3]", "lambda: 3"
    ),
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
    "cell 12: ### BEGIN SOLUTION and ### END SOLUTION must": LESSON.replace("    ### BEGIN SOLUTION\n", ""),
    "cell 12: ### BEGIN SOLUTION and ### END SOLUTION must come in pairs": LESSON.replace("1\n### END SOLUTION", "1"),
}


@pytest.mark.parametrize("said", BROKEN)
def test_an_exercise_that_is_not_complete_is_named(said, project, tmp_path):
    with pytest.raises(DataError, match=re.escape(f"01_count, {said}")):
        write_lessons(project(BROKEN[said]), output=tmp_path / "out", say=lambda line: None)
    assert not (tmp_path / "out").exists()


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
        assert page.select_one("meta[http-equiv=Content-Security-Policy]")["content"] == POLICY
        assert not page.select("script, link, iframe")
        for link in page.select("a[href]"):
            address, _, anchor = link["href"].partition("#")
            assert (file.parent / address).resolve().exists(), link
            assert address or page.find(id=anchor), link


def test_lecturers_see_solutions_and_reports_do_not(project):
    root = project()
    report = load_reports(root)["counting"]
    node = nbformat.read(report.notebook.ipynb, as_version=4)
    for lessons in (True, False):
        html, problems = to_html(node, Page(report, [], "now", lessons=lessons))
        text = unescape(BeautifulSoup(html, "html.parser").get_text(" "))
        assert problems == [] and "What is 2 + 2?" in text
        for secret in ("2 + 1 + 1" if lessons else "answer_1 =", "secret reason", "Right.", "Use both hands"):
            assert (secret in " ".join(text.split())) == lessons, secret


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


def test_slides_hold_text_and_outputs_but_no_code(project):
    root = project()
    report = load_reports(root)["counting"]
    node = nbformat.read(report.notebook.ipynb, as_version=4)
    html, problems = to_slides(node, report)
    soup = BeautifulSoup(html, "html.parser")
    first, second = soup.select("main > section.slide")
    assert problems == [] and first.h1.get_text() == "Counting"
    assert second.h2.get_text() == "The idea" and "shown on the slide" in second.get_text()
    assert second.math is not None and not re.search(r"margin|print\(", soup.main.get_text())
    assert [link["href"] for link in first.footer.select("a")] == ["../index.html", "#slide-2"]
    assert second.footer.get_text(" ", strip=True).endswith("2 / 2")
    assert to_slides(nbformat.v4.new_notebook(), report) == ("", [])


def slides_of(report, *cells):
    return to_slides(new_notebook(cells=list(cells)), report)


def test_a_slide_that_holds_too_much_is_named_and_one_without_a_heading_gets_that_above(project):
    report = load_reports(project())["counting"]
    much = new_markdown_cell("## Much\n\n" + "word " * 1500, metadata={"tags": ["slide"]})
    _, problems = slides_of(report, much)
    assert problems == ["slide 1 (Much) of 01_count holds more than fits on a screen"]
    bare = new_code_cell("1", metadata={"tags": ["slide"]}, outputs=[new_output("stream", text="7")])
    html, problems = slides_of(report, new_markdown_cell("# T\n\n## *Above*\n\ntext"), bare)
    slide = BeautifulSoup(html, "html.parser").select_one(".slide")
    assert (
        problems == [] and slide.h2.get_text() == "Above" and "7" in slide.get_text() and "text" not in slide.get_text()
    )


def test_what_a_slide_refers_to_is_found_on_the_page(project):
    report = load_reports(project())["counting"]
    text = "## A\n\nSee [figure](#figure-x) and [there](#b), and [it](02_other.ipynb)."
    html, _ = slides_of(report, new_markdown_cell(text, metadata={"tags": ["slide"]}))
    links = [(a["href"], a.get_text()) for a in BeautifulSoup(html, "html.parser").select(".slide-body a")]
    assert links == [("counting.html#figure-x", "a figure of the notebook"), ("counting.html#b", "there")]


@pytest.mark.skipif(BROWSER is None, reason=MISSING)
def test_slides_fit_a_screen_and_print_one_to_a_page(project, tmp_path):
    report = load_reports(project())["counting"]
    texts = [f"## Slide\n\n{'Some words of a sentence. ' * n}" for n in (3, 20, 60, 90)]
    lists = ["## List\n\n" + "\n".join(f"- **{n}** {'points to make ' * 4}" for n in range(9))]
    cells = [new_markdown_cell(text, metadata={"tags": ["slide"]}) for text in [*texts, *lists]]
    html, problems = slides_of(report, *cells)
    assert problems == []
    file = tmp_path / "slides.html"
    file.write_text(html, encoding="utf-8")
    with chromium() as tab:
        tab.visit(file)
        for width, height in ((1280, 720), (1920, 1080), (1024, 768)):
            tab.look(width, height)
            over = "[...document.querySelectorAll('.slide-body')].map(e => e.scrollHeight - e.clientHeight)"
            assert max(tab.evaluate(over)) <= 1, (width, height)
            tops = "[...document.querySelectorAll('.slide')].map(e => Math.round(e.getBoundingClientRect().top))"
            assert tab.evaluate(tops) == [height * number for number in range(len(cells))]
        assert tab.complaints() == []
        tab.pdf(tmp_path / "slides.pdf")
    assert len(re.findall(rb"/Type\s*/Page\b", (tmp_path / "slides.pdf").read_bytes())) == len(cells)


def test_what_code_assigns():
    assert assigned("for answer_1 in x:\n    answer_2 = [y for y in x]\nanswers = answer_3 = 1") == [
        "answer_1",
        "answer_2",
        "answer_3",
    ]
