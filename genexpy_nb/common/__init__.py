"""What every room stands on: errors, checks, rankings, random streams, hashes, files, resumable runs, versions."""

from genexpy_nb.common import errors as errors
