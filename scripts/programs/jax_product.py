"""JAX in float32 on the CPU: three products and a solve."""

import jax
import jax.numpy as jnp

a = jax.random.normal(jax.random.key(1), (500, 500))
for _ in range(3):
    (a @ a).block_until_ready()
jnp.linalg.solve(a, a).block_until_ready()
