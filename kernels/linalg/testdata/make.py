# Writes numpy.json, which numpy_test.go reads: matrices, and what NumPy's linalg makes of them in
# float64. All elements are float32, and written as such, so that both types have the same matrices.
# Inverses and solutions have 14 digits.
#
#     python3 make.py        (NumPy 2.4.6)
import json

import numpy as np

r = np.random.default_rng(1)


def number(*shape):
    return r.integers(-16, 17, shape) / 16


def rounded(a):
    return np.asarray(a, np.float32).astype(np.float64)


def elements(a):
    return [float(str(x)) for x in np.asarray(a, np.float32).ravel()]


def general():
    for m, n in [(1, 1), (1, 9), (9, 1), (2, 2), (7, 7), (12, 5), (5, 12), (31, 33), (40, 32), (33, 33), (70, 17), (17, 70), (65, 30), (66, 66)]:
        yield f"random {m} x {n}", number(m, n)
    yield "zero", np.zeros((6, 4))
    yield "unit", np.eye(8)
    yield "one value", 3 * np.eye(35)[::-1]
    yield "rank 4 of 12", number(20, 4) @ number(4, 12)
    yield "rank 3 of 40", number(50, 3) @ number(3, 40)
    yield "zero columns", np.concatenate([number(9, 3), np.zeros((9, 2)), number(9, 1)], 1)
    yield "graded columns", number(10, 10) * 10.0 ** -np.arange(10)
    yield "graded rows", (number(10, 10).T * 10.0 ** -np.arange(10)).T
    yield "graded by more than float32 squares", number(8, 8) * 10.0 ** np.linspace(15, -15, 8)
    yield "large", number(6, 6) * 1e30
    yield "small", number(6, 6) * 1e-30
    yield "Hilbert", 1 / (np.arange(12)[:, None] + np.arange(12) + 1)
    q, _ = np.linalg.qr(number(24, 24))
    yield "clusters", q * np.repeat([4, 2, 1, 1e-3], 6)
    yield "Kahan", np.triu(np.eye(16) - 0.3 * np.triu(np.ones((16, 16)), 1)) * (0.95 ** np.arange(16))[:, None]


def symmetric():
    for n in [1, 2, 3, 7, 31, 32, 33, 50, 66]:
        a = number(n, n)
        yield f"random {n}", np.tril(a) + np.tril(a, -1).T
    yield "zero", np.zeros((5, 5))
    yield "zero, large", np.zeros((40, 40))
    yield "unit, large", -np.eye(40)
    yield "signs", np.diag([1, -1] * 17)
    a = number(40, 3)
    yield "rank 3 of 40", a @ a.T
    yield "all ones", np.ones((34, 34))
    yield "no diagonal", np.eye(12)[::-1]
    yield "Wilkinson", np.diag(np.abs(np.arange(-10, 11.0))) + np.eye(21, k=1) + np.eye(21, k=-1)
    yield "second differences", 2 * np.eye(45) - np.eye(45, k=1) - np.eye(45, k=-1)
    d = 10.0 ** np.linspace(0, -12, 13)
    yield "graded", np.sqrt(d[:, None] * d) * (np.eye(13) + 0.3)
    a = number(9, 9)
    yield "large", (a + a.T) * 1e30
    yield "small", (a + a.T) * 1e-30


result = {"numpy": np.__version__, "general": [], "symmetric": [], "systems": []}
for name, a in general():
    a = rounded(a)
    result["general"].append({"name": name, "rows": a.shape[0], "cols": a.shape[1], "elements": elements(a), "values": np.linalg.svd(a, compute_uv=False).tolist()})
for name, a in symmetric():
    a = rounded(a)
    result["symmetric"].append({"name": name, "rows": len(a), "cols": len(a), "elements": elements(a), "values": np.linalg.eigvalsh(a).tolist()})
for m, n, rank in [(4, 4, 4), (9, 5, 5), (5, 9, 5), (12, 8, 3), (6, 11, 2), (40, 36, 36)]:
    a, b = number(m, n), number(m, 3)
    if rank < min(m, n):
        a = rounded(r.integers(-8, 9, (m, rank)) @ r.integers(-8, 9, (rank, n)) / 16)
    else:
        a[np.arange(min(m, n)), np.arange(min(m, n))] += 2
    entry = {"rows": m, "cols": n, "rank": rank, "elements": elements(a), "right": elements(b),
             "x": np.linalg.lstsq(a, b, rcond=1e-6)[0].ravel().tolist(), "pinv": np.linalg.pinv(a, rcond=1e-6).ravel().tolist(), "cond": float(np.linalg.cond(a))}
    if m == n:
        entry["det"] = float(np.linalg.det(a))
        entry["inv"] = np.linalg.inv(a).ravel().tolist()
    result["systems"].append(entry)


def short(x, digits=14):
    if isinstance(x, dict):
        return {k: short(v, 17 if k in ("values", "cond", "det") else 14) for k, v in x.items()}
    if isinstance(x, list):
        return [short(v, digits) for v in x]
    if not isinstance(x, float):
        return x
    return int(x) if x == int(x) and abs(x) < 1e9 else float(f"{x:.{digits}g}")


with open("numpy.json", "w") as f:
    json.dump(short(result), f, separators=(",", ":"))
