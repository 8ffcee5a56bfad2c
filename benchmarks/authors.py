"""Run the package of the papers' authors on a table, and print how many seconds of the processor it takes.

Called by `benchmarks.run` with the authors' own Python: ``python authors.py FOLDER DEMO SETTINGS``. FOLDER is a
checkout of https://github.com/DrCohomology/genexpy (commit 5fccedc needs Python 3.12 or later, its dependencies and
pyarrow). DEMO holds ``data/encoders_results.parquet``. What the study asks is in the authors' own configuration file;
SETTINGS, a JSON object, changes ``rep`` (resamples) and ``sample_size`` (experiments per estimate). Nothing is loaded
or saved between, and no progress is shown.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import yaml

CONFIGURATION = Path("demos", "case_studies", "Categorical Encoders", "config.yaml")


def main(folder: Path, demo: Path, settings: dict) -> None:
    sys.path.insert(0, str(folder))
    warnings.simplefilter("ignore")
    configuration = yaml.safe_load((folder / CONFIGURATION).read_text(encoding="utf-8"))
    configuration["project_parameters"] |= {"load_precomputed_mmd": False, "dump_results": False, "verbose": False}
    configuration["parameters"]["rep"] = settings.get("rep", configuration["parameters"]["rep"])
    sampling = configuration["sampling"]
    sampling["sample_size"] = settings.get("sample_size", sampling["sample_size"])
    # The package leaves out incomplete experiments, and samples of fewer than it keeps are all that it takes.
    for size in range(sampling["sample_size"], 1, -1):
        sampling["sample_size"] = size
        found, seconds = analyse(demo, configuration)
        if len(found):
            print(seconds)
            return
    raise SystemExit("the package made no estimate")


def analyse(demo: Path, configuration: dict) -> tuple:
    from genexpy.managers import ProjectManager

    (demo / "config.yaml").write_text(yaml.safe_dump(configuration), encoding="utf-8")
    manager = ProjectManager("config.yaml", demo)
    start = time.process_time()
    found = manager.generalizability_analysis()
    return found, time.process_time() - start


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3]))
