"""What every room stands on: errors, checks, rankings, random streams, hashes, files, resumable runs, versions."""
