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


@pytest.mark.parametrize(
    "tex",
    [
        r"\href{https://a.org}{x}",
        r"\style{color:red}{x}",
        r"\class{a}{x}",
        r"\cssId{a}{x}",
        r'\mmlToken{mi}[href="javascript:1"]{x}',
        r"\bbox[background:url(//a.org)]{x}",
        r"\unicode[a]{65}",
        r"\toggle{a}{b}\endtoggle",
        r"\require{html}x",
        r"\textcolor{url(//a.org)}{x}",
        r"\colorbox{url(//a.org)}{x}",
        r"\fcolorbox{url(//a.org)}{red}{x}",
    ],
)
def test_no_formula_sets_a_link_a_style_or_an_address(tex):
    with Typesetter() as typesetter:
        with pytest.raises(TexError, match=r"Undefined control sequence|which a page may not have"):
            typesetter.svg(tex, display=False)
        assert typesetter.svg("x", display=False)  # and the next one is set


@pytest.mark.parametrize(
    ("change", "formula"),
    [
        (r"\def\frac{x}", r"\frac12"),
        (r"\let\alpha\beta", r"\alpha"),
        (r"\renewcommand{\sum}{s}", r"\sum"),
        (r"\definecolor{red}{rgb}{0,1,0}", r"\color{red}x"),
        (r"\renewenvironment{matrix}{a}{b}", r"\begin{matrix}1\end{matrix}"),
    ],
)
def test_what_a_formula_defines_ends_with_it(change, formula):
    with Typesetter() as typesetter:
        before = typesetter.svg(formula, display=True)
        changed = typesetter.svg(f"{change} {formula}", display=True)
        assert typesetter.svg(formula, display=True) == before
        assert re.findall("data-c=[^ ]+|fill=[^ ]+", changed) != re.findall("data-c=[^ ]+|fill=[^ ]+", before)


def test_a_new_command_is_unknown_to_the_next_formula():
    with Typesetter() as typesetter:
        for define in (r"\newcommand{\mine}{m}", r"\DeclareMathOperator{\mine}{m}", r"\def\mine{m}"):
            assert typesetter.svg(define + r"\mine", display=False)
            with pytest.raises(TexError, match="Undefined"):
                typesetter.svg(r"\mine", display=False)


def test_a_number_of_an_equation_is_known_to_the_next_formula():
    with Typesetter() as typesetter:
        typesetter.svg(r"x \label{one} \tag{7}", display=True)
        svg = typesetter.svg(r"\eqref{one}", display=False)
    assert 'data-c="37"' in svg and 'href="#mjx-eqn' in svg


def test_colours_boxes_and_strokes_are_set():
    with Typesetter() as typesetter:
        for tex in (r"\color{red}x", r"\colorbox{yellow}{x}", r"\fcolorbox{red}{#eee}{x}", r"\boxed{x}", r"\cancel{x}"):
            assert typesetter.svg(tex, display=False).count("<svg") == 1
        assert typesetter.svg(r"\text{漢} \begin{array}{c|c} 1 & 2 \\ \hline 3 & 4 \end{array}", display=True)
