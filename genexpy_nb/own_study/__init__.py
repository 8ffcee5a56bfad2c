"""A user's own table of results: from the options of ``genexpy-nb study`` to a summary, tables and a page.

``request`` reads the table and makes the study, ``roles`` proposes what each column is for and asks who sits
at a terminal, ``terminal`` prints the summary, ``outputs`` writes the tables, ``command`` does one after the other.
``card`` makes what travels with the results.
"""
