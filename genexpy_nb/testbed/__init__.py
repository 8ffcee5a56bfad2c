"""What this project runs itself: networks on noisy images for the trade-off point, and encoders of categories."""

from genexpy_nb.common.errors import require

require("testbed", "category_encoders", "xarray", "skimage")
