"""Make data/mteb.parquet: the published results of the English benchmark of MTEB (version 2) as one compact table.

The results are at github.com/embeddings-benchmark/results, under CC0 1.0. What is read is a checkout of that
repository at the commit below, or a table made from it: a parquet file with the columns model, revision, task, split,
subset, main_score and in_v2 (whether the task belongs to the benchmark).
"""

from pathlib import Path

import click
import pandas as pd
from runs import records

from genexpy_nb.common.checks import check_columns
from genexpy_nb.common.errors import DataError

FOLDER = Path(__file__).parent
REPOSITORY = "embeddings-benchmark/results"
COMMIT = "f4cc6c8b365a3c779dbc708d6affe0b0355b2ddf"
LICENCE = "CC0-1.0"

# The benchmark "MTEB(eng, v2)": its 41 tasks by the types that MTEB gives them.
TASKS = {
    "Classification": (
        "AmazonCounterfactualClassification, Banking77Classification, ImdbClassification, MTOPDomainClassification, "
        "MassiveIntentClassification, MassiveScenarioClassification, ToxicConversationsClassification, "
        "TweetSentimentExtractionClassification"
    ),
    "Clustering": (
        "ArXivHierarchicalClusteringP2P, ArXivHierarchicalClusteringS2S, BiorxivClusteringP2P.v2, "
        "MedrxivClusteringP2P.v2, MedrxivClusteringS2S.v2, StackExchangeClustering.v2, StackExchangeClusteringP2P.v2, "
        "TwentyNewsgroupsClustering.v2"
    ),
    "PairClassification": "SprintDuplicateQuestions, TwitterSemEval2015, TwitterURLCorpus",
    "Reranking": "AskUbuntuDupQuestions, MindSmallReranking",
    "Retrieval": (
        "ArguAna, CQADupstackGamingRetrieval, CQADupstackUnixRetrieval, ClimateFEVERHardNegatives, FEVERHardNegatives, "
        "FiQA2018, HotpotQAHardNegatives, SCIDOCS, TRECCOVID, Touche2020Retrieval.v3"
    ),
    "STS": "BIOSSES, SICK-R, STS12, STS13, STS14, STS15, STS17, STS22.v2, STSBenchmark",
    "Summarization": "SummEvalSummarization.v2",
}
TYPES = {task: kind for kind, tasks in TASKS.items() for task in tasks.split(", ")}


@click.command(help=__doc__)
@click.argument("results", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--output", type=click.Path(path_type=Path), default=FOLDER, show_default=True, help="Folder.")
def main(results: Path, output: Path) -> None:
    """See the module."""
    frame = pd.read_parquet(results)
    check_columns(frame, ("model", "revision", "task", "split", "subset", "main_score", "in_v2"), results.name)
    frame = frame[frame["in_v2"]]
    if set(frame["task"]) != set(TYPES):
        raise DataError(f"{results.name}: the tasks of the benchmark are not the {len(TYPES)} that are expected")
    # The benchmark's own choice: of the two English subsets of one task, the plain one.
    frame = frame[(frame["split"] == "test") & (frame["subset"] != "en-ext")]
    table = pd.DataFrame(
        {
            "model": frame["model"].str.replace("__", "/", n=1, regex=False).astype(object),
            "task": frame["task"].astype(object),
            "task_type": frame["task"].map(TYPES).astype(object),
            "score": frame["main_score"],
        }
    )
    about = {
        "script": "data/make_mteb.py",
        "source": f"https://github.com/{REPOSITORY}/tree/{COMMIT}",
        "licence": LICENCE,
        "benchmark": "MTEB(eng, v2)",
        "models": table["model"].nunique(),
        "tasks": table["task"].nunique(),
        "missing": int(table["model"].nunique() * table["task"].nunique() - len(table)),
    }
    about = records.write_results(table, output / "mteb.parquet", ["model", "task"], about)
    click.echo(f"{about['rows']} rows, {about['missing']} cells missing, SHA-256 {about['sha256']}")


if __name__ == "__main__":
    main()
