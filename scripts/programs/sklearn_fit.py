"""scikit-learn in float32: principal components, nearest neighbours, k-means, ridge regression."""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge
from sklearn.neighbors import NearestNeighbors

random = np.random.default_rng(1)
x = random.standard_normal((2000, 64), dtype=np.float32)
y = random.standard_normal(2000, dtype=np.float32)
PCA(8).fit_transform(x)
NearestNeighbors(n_neighbors=5, algorithm="brute").fit(x).kneighbors(x)
KMeans(8, n_init=1, random_state=1).fit(x)
Ridge().fit(x, y)
