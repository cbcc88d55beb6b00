"""Makes matrices.json.gz: what SciPy computes of complex vectors and matrices, and of sparse ones.

  pip install numpy==2.4.6 scipy==1.17.1
  python matrices.py

The file is as that of arrays.py. Complex numbers are two numbers along the last axis.
"""
import base64
import gzip
import json
import pathlib

import numpy as np
import scipy
import scipy.linalg
import scipy.sparse

r = np.random.default_rng(66)
blas = scipy.linalg.blas
cases = []


def tensor(a):
    a = np.ascontiguousarray(a)
    if np.iscomplexobj(a):
        a = np.stack([a.real, a.imag], -1)
    return {"type": a.dtype.name, "shape": a.shape, "data": base64.b64encode(a.tobytes()).decode()}


def case(operator, inputs, outputs):
    name = f"{operator}_{sum(c['operator'] == operator for c in cases)}"
    cases.append({"name": name, "operator": operator, "attributes": {},
                  "inputs": [tensor(a) for a in inputs], "outputs": [tensor(a) for a in outputs]})


def values(kind, *shape):
    """Numbers of few bits, so that the file is small."""
    part = lambda: r.integers(-2000, 2000, shape) / 2048
    v = part() + 1j * part() if np.dtype(kind).kind == "c" else part()
    return np.asarray(v).astype(kind)


def size():
    return int(r.integers(1, 20))


ALPHA, BETA = 0.5 - 0.25j, -1 + 2j
for prefix, real, kind in (("c", "sc", "complex64"), ("z", "dz", "complex128")):
    of = lambda name: getattr(blas, prefix + name)
    for _ in range(5):
        m, k, n = size(), size(), size()
        x, y = values(kind, n), values(kind, n)
        case("complex_level1", [x, y],
             [np.array([of("dotu")(x, y), of("dotc")(x, y)], kind), of("axpy")(x, y.copy(), a=ALPHA), of("scal")(ALPHA, x.copy()),
              np.array([getattr(blas, real + "nrm2")(x), getattr(blas, real + "asum")(x)], x.real.dtype), getattr(blas, "i" + prefix + "amax")(x)])
        a, b, c = (np.asfortranarray(values(kind, *shape)) for shape in ((m, k), (n, k), (m, n)))
        u, v = values(kind, m), values(kind, n)
        w = values(kind, k)
        case("complex_gemm", [a, b, c, u, v, w],
             [of("gemm")(ALPHA, a, b, BETA, c, trans_b=2), of("gemv")(ALPHA, a, w, BETA, u), of("gemv")(ALPHA, a, u, BETA, w, trans=2),
              of("geru")(ALPHA, u, v, a=c), of("gerc")(ALPHA, u, v, a=c)])
        b2 = np.asfortranarray(values(kind, n, k))
        s = np.asfortranarray(values(kind, n, n))
        s[np.diag_indices(n)] = s[np.diag_indices(n)].real + 8
        case("complex_triangles", [s, b, b2],
             [np.tril(of("herk")(0.5, b, beta=-1.0, c=s, lower=1)), np.triu(of("her2k")(ALPHA, b, b2, beta=-1.0, c=s, lower=0)),
              np.triu(of("syrk")(ALPHA, b, beta=BETA, c=s, lower=0)), np.tril(of("syr2k")(ALPHA, b, b2, beta=BETA, c=s, lower=1)),
              of("hemm")(ALPHA, s, b, BETA, b2, lower=1), of("symm")(ALPHA, s, b, BETA, b2, lower=0),
              of("trmm")(ALPHA, s, b, lower=1), of("trmm")(ALPHA, s, b, lower=1, trans_a=2), of("trsm")(ALPHA, s, b, lower=0), of("trsm")(ALPHA, s, b, lower=1, trans_a=2)])

for kind in ("float32", "float64"):
    for density in (0.0, 0.05, 0.3, 1.0):
        m, n, k = size(), size() + 20, size()
        a = scipy.sparse.random_array((m, n), density=density, format="csr", dtype=kind, rng=r, data_sampler=lambda size: values(kind, size) + 1)
        a.sort_indices()
        t = a.T.tocsr()
        t.sort_indices()
        x, y, b, c = values(kind, n), values(kind, m), values(kind, n, k), values(kind, m, k)
        wide = a.astype(np.float64)
        case("sparse", [a.data, a.indptr.astype(np.int32), a.indices.astype(np.int32), x, y, b, c],
             [(0.5 * (wide @ x) - y).astype(kind), (0.5 * (wide @ b) - c).astype(kind),
              t.indptr.astype(np.int32), t.indices.astype(np.int32), t.data, a.toarray()])

text = json.dumps({"versions": {"numpy": np.__version__, "scipy": scipy.__version__}, "cases": cases}, separators=(",", ":"))
data = gzip.compress(text.encode(), compresslevel=9, mtime=0)
pathlib.Path(__file__).with_name("matrices.json.gz").write_bytes(data)
print(len(cases), "cases,", len(data), "bytes")
