"""Networks, images and noise: where the cells come from that the trade-off point is computed from."""

# ruff: noqa: E402, what is missing is said before it is imported

from genexpy_nb.common.errors import require

require("testbed", "xarray", "skimage")

from genexpy_nb.testbed.imagefolder import image_folder

__all__ = ["image_folder"]
