"""From the plain HTML of a notebook to a page: sections, numbered figures and tables, links between pages."""
