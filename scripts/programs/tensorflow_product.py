"""TensorFlow in float32 on the CPU: three products and a solve."""

import tensorflow as tf

a = tf.random.normal((500, 500), seed=1)
for _ in range(3):
    a @ a
tf.linalg.solve(a, a)
