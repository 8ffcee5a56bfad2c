"""What notebooks run themselves: encoders of categories, and noise on images of handwritten digits."""

from genexpy_nb.common.errors import require

require("testbed", "category_encoders", "skimage")
