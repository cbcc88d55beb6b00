# Writes digits.gz: 1,797 digits of 8 × 8 pixels with values 0 to 16, and then their classes, a byte
# each. They are scikit-learn's (sklearn.datasets.load_digits, from the UCI Machine Learning
# Repository: E. Alpaydin and C. Kaynak, "Optical Recognition of Handwritten Digits", 1998, CC BY
# 4.0). It prints what main_test.go compares with.
#
#     python3 make.py        (scikit-learn 1.9.1)
import gzip

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

digits = load_digits()
data = digits.data.astype(np.uint8).tobytes() + digits.target.astype(np.uint8).tobytes()
with open("digits.gz", "wb") as f:
    f.write(gzip.compress(data, 9, mtime=0))
p = PCA(n_components=64).fit(digits.data)
print("shares", p.explained_variance_ratio_[:8].tolist())
print("values", p.singular_values_[[0, 1, 2, 59, 60]].tolist())
print("first", np.abs(p.transform(digits.data)[:3, :2]).tolist())
