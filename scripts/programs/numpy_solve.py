"""NumPy in float32: three products and two solves."""

import numpy as np

random = np.random.default_rng(1)
a = random.standard_normal((500, 500), dtype=np.float32)
b = random.standard_normal((500, 500), dtype=np.float32)
for _ in range(3):
    c = a @ b
for _ in range(2):
    x = np.linalg.solve(a, b)
assert c.dtype == x.dtype == np.float32
assert np.allclose(a @ x, b, atol=0.1)
