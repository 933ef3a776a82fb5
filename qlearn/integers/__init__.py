"""Integer arithmetic: products, sums, and layers made of them."""
