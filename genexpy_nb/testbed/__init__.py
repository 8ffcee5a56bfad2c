"""Networks, images and noise: where the cells come from that the trade-off point is computed from."""
