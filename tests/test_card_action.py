"""The steps of the action that posts a card, run as a runner runs them, on a made-up pull request."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[1]
ACTION = YAML(typ="safe").load(ROOT / ".github" / "actions" / "card" / "action.yml")
OPTIONS = "--alternatives\nmodel\n--target\nscore\n--higher-is-better\n--over\nthe set\n"
pytestmark = pytest.mark.skipif(not all(map(shutil.which, ("bash", "git"))), reason="needs bash and git")

# What GitHub would answer: the changes of the pull request, the comments that are there; it keeps what is posted.
GH = """#!{python}
import json, os, pathlib, subprocess, sys
asked, here = sys.argv[1:], pathlib.Path({here!r})
with open(here / "asked", "a") as file:
    file.write(json.dumps([asked, os.environ["GH_TOKEN"]]) + "\\n")
if asked[:2] == ["pr", "diff"]:
    subprocess.run(["git", "diff", "--name-only", "main...HEAD"], check=True)
elif "--paginate" in asked:
    print((here / "comments").read_text(), end="")
elif {refused}:
    sys.exit("HTTP 403: Resource not accessible by integration")
else:
    (here / "posted").write_text(pathlib.Path(asked[asked.index("--field") + 1].removeprefix("body=@")).read_text())
"""


def results(lead):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal([lead, 0.0, 0.0], 1.0, (20, 3)), columns=["mine $(touch hacked)", "b", "c"])
    return frame.rename_axis("the set").melt(var_name="model", value_name="score", ignore_index=False).to_csv()


def git(*arguments):
    who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *who, *arguments], check=True, capture_output=True)


@pytest.fixture
def pull_request(tmp_path, monkeypatch):
    """A repository whose branch changes the results: the leader of the base leads no more."""
    work, temp, programs = tmp_path / "work", tmp_path / "temp", tmp_path / "bin"
    for folder in (work, temp, programs):
        folder.mkdir()
    monkeypatch.chdir(work)
    Path("results.csv").write_text(results(4.0))
    git("init")
    git("add", ".")
    git("commit", "-m", "base")
    git("checkout", "-b", "change")
    Path("results.csv").write_text(results(0.1))
    git("commit", "-am", "new results")
    (temp / "comments").write_text("")
    gh(tmp_path)
    python = f'#!/bin/sh\nexec "{sys.executable}" -c "from genexpy_nb.cli import main; main()" "$@"\n'
    for name, text in {"genexpy-nb": python, "python": f'#!/bin/sh\nexec "{sys.executable}" "$@"\n'}.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    return tmp_path


def gh(folder, refused=False):
    program = folder / "bin" / "gh"
    program.write_text(GH.format(python=sys.executable, here=str(folder / "temp"), refused=refused))
    program.chmod(0o755)


def run(step, folder, **inputs):
    """Run a step: expressions of its environment get their values, as the runner gives them."""
    given = {name: each.get("default", "") for name, each in ACTION["inputs"].items()}
    given |= {"results": "results.csv", "options": OPTIONS, "token": "secret", **inputs}
    values = {f"inputs.{name}": value for name, value in given.items()} | {"github.event.pull_request.number": "7"}
    env = {
        name: re.sub(r"\$\{\{ (.*?) \}\}", lambda found: values[found[1]], v) for name, v in step.get("env", {}).items()
    }
    env |= {f"GITHUB_{name}": str(folder / "temp" / name) for name in ("OUTPUT", "STEP_SUMMARY")}
    env |= {"GITHUB_REPOSITORY": "a/b", "RUNNER_TEMP": str(folder / "temp"), "PYTHONPATH": str(ROOT)}
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
    return subprocess.run(command, env={**os.environ, **env, "PATH": path}, capture_output=True, text=True, check=False)


def steps():
    return {step["name"].split()[0]: step for step in ACTION["runs"]["steps"]}


def asked(folder):
    return [json.loads(line) for line in (folder / "temp" / "asked").read_text().splitlines()]


@pytest.mark.parametrize(
    ("claim", "holds"), [("mine $(touch hacked)", "false"), pytest.param("", "true", marks=pytest.mark.slow)]
)
def test_a_pull_request_gets_its_card_and_a_lost_claim_fails(pull_request, claim, holds):
    made = run(steps()["Make"], pull_request, claim=claim, decided='"; touch hacked; "')
    assert made.returncode == 0, made.stderr
    assert (pull_request / "temp" / "OUTPUT").read_text() == f"holds={holds}\n"
    posted = run(steps()["Post"], pull_request, claim=claim)
    assert posted.returncode == 0, posted.stderr
    mark, _, body = (pull_request / "temp" / "posted").read_text().partition("\n")
    assert body == Path("card/card.md").read_text() == (pull_request / "temp" / "STEP_SUMMARY").read_text()
    assert "may be the best" in body and mark.startswith("<!-- genexpy-nb card ")
    assert asked(pull_request)[-1][0][:4] == ["api", "--method", "POST", "repos/a/b/issues/7/comments"]
    assert {token for _, token in asked(pull_request)} == {"secret"}
    failed = run(steps()["Insist"], pull_request)
    assert failed.returncode == 1 and "not the only contender" in failed.stdout
    assert steps()["Insist"]["if"] == "steps.card.outputs.holds == 'false'"
    assert not Path("hacked").exists()


@pytest.fixture
def card(pull_request):
    """The card of the pull request, as the step before has written it."""
    Path("card").mkdir()
    Path("card/card.md").write_text("What may be concluded")


def test_its_own_comment_is_replaced(pull_request, card):
    (pull_request / "temp" / "comments").write_text("123\n456\n")
    assert run(steps()["Post"], pull_request).returncode == 0
    assert asked(pull_request)[-1][0][:4] == ["api", "--method", "PATCH", "repos/a/b/issues/comments/123"]


def test_other_pull_requests_are_left_alone_and_a_refusal_is_a_warning(pull_request, card):
    gh(pull_request, refused=True)
    refused = run(steps()["Post"], pull_request)
    assert refused.returncode == 0 and refused.stdout.startswith("::warning::the card was not posted")
    git("checkout", "main")
    git("checkout", "-b", "other")
    git("commit", "--allow-empty", "-m", "nothing about results")
    assert run(steps()["Post"], pull_request).returncode == 0
    assert asked(pull_request)[-1][0][:2] == ["pr", "diff"]


def test_what_is_wrong_ends_the_action_and_text_of_others_is_never_code(pull_request):
    assert run(steps()["Make"], pull_request, results="absent.csv").returncode == 2
    assert not any("${{" in step["run"] for step in ACTION["runs"]["steps"])
    folder = ROOT / ".github" / "actions" / "card"
    assert "$GITHUB_ACTION_PATH/../../.." in steps()["Install"]["run"]
    assert (folder / "../../../pyproject.toml").is_file()
