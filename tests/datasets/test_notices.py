"""notices: every output says where its numbers come from."""

import pytest
from mini_tables import encoders_frame, good

from genexpy_nb import datasets
from genexpy_nb.common.errors import DataError


def test_notice_of_the_published_table(world, serve):
    serve(good)
    says = datasets.notice(datasets.load_encoders())
    for text in (str(says), says._repr_html_(), says._repr_markdown_()):
        assert "Published table" in text
        assert "DrCohomology/EncoderBenchmarking at commit 1e288afde909" in text
        assert world.registry["encoders"]["sha256"][:12] in text
        assert str(world.cache) not in text, "no path of a machine in a notebook"


def test_notice_of_bundled_results_is_escaped_html(world):
    frame = datasets.load_encoders("bundled")
    frame.attrs["note"] = "a <b> & c"
    says = datasets.notice(frame)
    assert says._repr_html_().startswith('<p class="gx-source gx-bundled" role="note"><strong>Not the published table')
    assert "a &lt;b&gt; &amp; c" in says._repr_html_()
    assert "a <b> & c" in str(says)


def test_notice_needs_a_loaded_frame():
    with pytest.raises(DataError, match="attrs lack name, note, sha256, source"):
        datasets.notice(encoders_frame())
