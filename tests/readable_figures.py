"""Whether a figure can be read: all of its text within it, apart, large enough, and as it was written."""

import matplotlib as mpl
import numpy as np

AWKWARD = ["$a_1$ & $b$", "_50% <b>bold</b>", "line\nbreak", "\U0001f389 model", "שלום 12", "x" * 200, "x" * 199 + "y"]


def names(k):
    """Of so many, the first ones hard to draw."""
    return [AWKWARD[i] if i < min(k, len(AWKWARD)) else f"model-{i:03d}" for i in range(k)]


def seen(fig):
    """Text that is drawn: a tick beyond the ends of its axis is not, nor one of a hidden axis."""
    hidden = set()
    for ax in fig.axes:
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            side = 0 if axis.axis_name == "x" else 1
            off = not axis.get_visible() or not ax.axison
            hidden |= {
                text
                for text in axis.get_ticklabels(which="both")
                if off or not low - 1e-9 <= text.get_position()[side] <= high + 1e-9
            }
    found = fig.findobj(mpl.text.Text)
    return [text for text in found if text.get_visible() and text.get_text().strip() and text not in hidden]


def check_readable(fig):
    """All of the text is within the figure, apart from each other, large enough, and no formula."""
    fig.canvas.draw()
    texts = seen(fig)
    boxes = np.array([text.get_window_extent().extents for text in texts])
    most = np.array([fig.bbox.width, fig.bbox.height]) + 1
    outside = (boxes[:, :2] < -1).any(axis=1) | (boxes[:, 2:] > most).any(axis=1)
    assert not [texts[i].get_text() for i in np.flatnonzero(outside)]
    # Half of the leading does not count: boxes of lines below each other touch where letters do not.
    shrunk = boxes + np.stack([np.ones(len(boxes)), 0.13 * np.ptp(boxes[:, [1, 3]], axis=1)] * 2, axis=1) * [
        1,
        1,
        -1,
        -1,
    ]
    left, bottom, right, top = shrunk.T
    apart = (left[:, None] >= right) | (right[:, None] <= left) | (bottom[:, None] >= top) | (top[:, None] <= bottom)
    np.fill_diagonal(apart, True)
    assert not [(texts[i].get_text(), texts[j].get_text()) for i, j in zip(*np.nonzero(~apart), strict=True)]
    assert min(text.get_fontsize() for text in texts) >= 6.5
    assert not [text.get_text() for text in texts if "$" in text.get_text() and text.get_parse_math()]
