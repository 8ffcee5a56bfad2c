"""Networks, images and noise: where the cells come from that the trade-off point is computed from."""

from genexpy_nb.common.errors import require

require("testbed", "xarray", "skimage")
