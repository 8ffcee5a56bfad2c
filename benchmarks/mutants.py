"""Change the numerical core in small ways, and see which changes no test notices: ``make mutants``, on demand.

Cosmic Ray finds the places and makes the changes, in a clone of the last commit: the working tree is never touched.
A random sample is tried, each mutant against the tests and docstring examples of its room. A survivor is printed with
its diff: some are equivalent (nothing that can be seen depends on the place), the others want a test.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tqdm import tqdm

if TYPE_CHECKING:
    from cosmic_ray.work_item import MutationSpec

ROOT = Path(__file__).resolve().parents[1]
#: Rooms that compute, each tested by ``tests/<room>``.
ROOMS = ("significance", "conclusions", "generalization", "protocol", "causal", "tradeoff", "fields", "study")
#: What all of them stand on, tested by the rooms that use it most, too.
GROUND = ("rankings", "random", "pooling", "checks")
USERS_OF_GROUND = ("significance", "generalization")
EVERYTHING = (*ROOMS, "common")
SECONDS = 600  # a mutant that makes the tests run longer than that is noticed, too


def worth_trying(mutation: MutationSpec) -> bool:
    """Leave out what cannot be noticed: ``int | None`` in an annotation is never evaluated."""
    return "BitOr" not in mutation.operator_name


def modules(rooms: Sequence[str]) -> list[Path]:
    """The modules of some rooms, in folders within folders, too; of the ground floor those that compute."""
    found = [path for room in rooms for path in sorted(Path("genexpy_nb", room).rglob("*.py"))]
    return [path for path in found if path.parts[1] != "common" or path.stem in GROUND]


def mutations(rooms: Sequence[str]) -> list[MutationSpec]:
    """All small changes of the modules of some rooms, found in the current folder."""
    from cosmic_ray.commands import init
    from cosmic_ray.work_db import WorkDB, use_db

    with tempfile.TemporaryDirectory() as folder, use_db(str(Path(folder, "session")), WorkDB.Mode.create) as session:
        init(modules(rooms), session, {})
        found = [item.mutations[0] for item in session.work_items]
    return sorted(
        filter(worth_trying, found), key=lambda m: (str(m.module_path), m.start_pos, m.operator_name, m.occurrence)
    )


def places_of_tests(module: Path) -> list[Path]:
    """Where the tests of a module are: those that bear its name first, then its examples, then its room."""
    rooms = [module.parts[1], *(USERS_OF_GROUND if module.parts[1] == "common" else ())]
    own = sorted(Path("tests").rglob(f"test_{module.stem}.py"))
    return [*own, module, *(Path("tests", room) for room in rooms), *(Path("genexpy_nb", room) for room in rooms)]


def tests_of(module: Path) -> str:
    """The command that runs the tests of a module."""
    places = " ".join(map(str, places_of_tests(module)))
    return f"{sys.executable} -m pytest -x -q -p no:cacheprovider --doctest-modules {places}"


def main() -> None:
    """Try a sample, and print the survivors and the score."""
    from cosmic_ray.mutating import mutate_and_test
    from cosmic_ray.work_item import TestOutcome

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=60, help="mutants to try (default 60)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--room", action="append", choices=EVERYTHING, help="only this room; may be repeated")
    parser.add_argument("--json", type=Path, help="write the outcomes to this file, too")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder, "clone")
        subprocess.run(["git", "clone", "--quiet", "--local", str(ROOT), str(clone)], check=True)
        os.chdir(clone)
        # the clone's modules are imported, not the installed ones; a mutant must not make BLAS threads wait either
        os.environ.update(
            PYTHONPATH=str(clone), OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1"
        )
        every = mutations(asked.room or EVERYTHING)
        chosen = random.Random(asked.seed).sample(every, min(asked.n, len(every)))
        for module in sorted({Path(*m.module_path.parts[:2], "__init__.py") for m in chosen}):
            before = subprocess.run(tests_of(module).split(), capture_output=True, text=True, check=False)
            if before.returncode:
                sys.exit(f"{module.parent}: the tests fail before anything is changed\n{before.stdout[-2000:]}")
        outcomes = []
        for mutation in tqdm(chosen, unit="mutant"):
            result = mutate_and_test([mutation], tests_of(mutation.module_path), SECONDS)
            survived = result.test_outcome == TestOutcome.SURVIVED
            outcomes.append({"module": str(mutation.module_path), "line": mutation.start_pos[0], "survived": survived})
            outcomes[-1]["diff"] = result.diff or ""
            if survived:
                tqdm.write(f"survived: {mutation.module_path}:{mutation.start_pos[0]}\n{result.diff}\n")
        os.chdir(ROOT)
    if asked.json:
        asked.json.write_text(json.dumps(outcomes, indent=2) + "\n", encoding="utf-8")
    by_room = Counter(Path(o["module"]).parts[1] for o in outcomes if o["survived"])
    print(
        f"{sum(by_room.values())} of {len(outcomes)} mutants survived (there are {len(every):,} possible ones): "
        f"{dict(by_room)}"
    )


if __name__ == "__main__":
    main()
