"""What notebook 07 runs itself: images of handwritten digits, and noise on them."""

from genexpy_nb.common.errors import require

require("testbed", "skimage")
