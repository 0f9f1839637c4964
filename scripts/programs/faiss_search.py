"""faiss: an index that is searched exactly."""

import faiss
import numpy as np

random = np.random.default_rng(1)
x = random.standard_normal((5000, 768), dtype=np.float32)
index = faiss.IndexFlatL2(768)
index.add(x)
index.search(x[:1000], 5)
