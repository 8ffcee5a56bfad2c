"""mathjax: formulas as SVG, the same each time, or an error that names the formula."""

import re

import pytest

from genexpy_nb.reporting.mathjax import TexError, Typesetter


def test_the_same_formula_gives_the_same_svg_without_ids():
    with Typesetter() as one, Typesetter() as two:
        one.svg(r"\sum_i x_i", display=True)
        svg = one.svg(r"\hat\alpha_n", display=False)
        assert svg == two.svg(r"\hat\alpha_n", display=False)
    assert not re.search(r"\bid=", svg)


def test_bad_tex_is_an_error():
    with Typesetter() as typesetter, pytest.raises(TexError, match="brace"):
        typesetter.svg(r"\frac{1}{", display=True)


def test_what_mathjax_says_is_plain_text():
    with Typesetter() as typesetter, pytest.raises(TexError) as error:
        typesetter.svg("a & b", display=True)
    assert str(error.value) == "formula 'a & b': Misplaced &"


def test_the_label_is_the_formula_in_one_line_and_safe():
    with Typesetter() as typesetter:
        svg = typesetter.svg('a <\n  b \\text{"}', display=True)
    assert 'aria-label="a &lt; b \\text{&quot;}"' in svg
