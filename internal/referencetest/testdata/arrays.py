"""Makes arrays.json.gz: what NumPy and SciPy compute of random arrays.

  pip install numpy==2.4.6 scipy==1.17.1
  python arrays.py

A case names an operator, which the tests have a function for, with attributes, inputs and outputs.
Data are in base64, as in memory. The layout of a matrix is its offset, its rows and columns, and
its strides, in elements of the input.
"""
import base64
import gzip
import json
import pathlib

import numpy as np
import scipy
import scipy.fft
import scipy.linalg
import scipy.ndimage
import scipy.signal

r = np.random.default_rng(65)
cases = []
INTEGERS = ("int32", "uint32", "int64", "uint64")
NUMBERS = INTEGERS + ("float32", "float64")


def tensor(a):
    a = np.asarray(a)
    if a.dtype == np.complex128:
        a = a.view(np.float64) if a.ndim else np.array([a.real, a.imag])
    return {"type": a.dtype.name, "shape": a.shape, "data": base64.b64encode(np.ascontiguousarray(a).tobytes()).decode()}


def case(operator, inputs, outputs, **attributes):
    name = f"{operator}_{sum(c['operator'] == operator for c in cases)}"
    cases.append({"name": name, "operator": operator, "attributes": attributes,
                  "inputs": [tensor(a) for a in inputs], "outputs": [tensor(a) for a in outputs]})


def values(kind, shape, few=False):
    """Numbers of few bits, so that the file is small. Few are such that many are equal."""
    kind = np.dtype(kind)
    if kind.kind == "f":
        return (r.integers(-9 if few else -2000, 10 if few else 2000, shape) / 64).astype(kind)
    low = 0 if kind.kind == "u" else (-9 if few else -100)
    return r.integers(low, 10 if few else 100, shape).astype(kind)


def shape():
    return tuple(int(d) for d in r.integers(1, 9, r.integers(1, 5)))


# Sequences.

for kind in ("int8", "uint8", "int16", "uint16", "float16") + NUMBERS:
    for n in (0, 1, int(r.integers(2, 40)), int(r.integers(40, 300))):
        x = values(kind, n, few=n % 2 == 0)
        if np.dtype(kind).kind == "f" and n > 8:
            x[:3] = np.nan, np.inf, -np.inf
        down = bool(n % 3 == 0)
        if kind in NUMBERS:
            order = np.argsort(x, kind="stable") if not down else n - 1 - np.argsort(x[::-1], kind="stable")[::-1]
            case("sort", [x], [x[order], order], descending=down)
        else:
            case("sort", [x], [np.sort(x)[:: -1 if down else 1]], descending=down)
x = values("uint16", 5000)
case("sort", [x], [np.sort(x)], descending=False)

for kind in NUMBERS:
    x = values(kind, int(r.integers(30, 90)), few=True)
    found = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    case("unique", [x], found)
    mask = r.random(len(x)) < 0.4
    case("select", [x, mask], [x[mask], np.flatnonzero(mask), np.concatenate([x[mask], x[~mask]])])
    case("where", [x, x[:1]], [x[x < x[0]], x[x >= x[0]], x[x == x[0]]])

for kind in ("float32", "float64"):
    for bins in (1, 7, 40):
        x = values(kind, 90)
        low, high = -12.3, 17.9
        case("histogram", [x], [np.histogram(x, bins, (low, high))[0]], low=low, high=high)
for kind in NUMBERS:
    x = values(kind, 120)
    edges = np.unique(values(kind, 9))
    case("histogram_edges", [x, edges], [np.histogram(x[x < edges[-1]], edges)[0]])
x = values("uint8", 700)
case("bincount", [x], [np.bincount(x, minlength=256)])

for kind in NUMBERS:
    for _ in range(2):
        dims = shape()
        x, axis = values(kind, dims), int(r.integers(len(dims)))
        case("cumulative", [x], [np.cumsum(x, axis, dtype=kind), np.minimum.accumulate(x, axis), np.maximum.accumulate(x, axis)], axis=axis)

for kind in NUMBERS:
    for largest in (True, False):
        rows, n = int(r.integers(1, 6)), int(r.integers(2, 60))
        k = int(r.integers(1, n + 1))
        x = values(kind, (rows, n), few=largest)
        keys = -x.astype(np.float64) if largest else x
        order = np.argsort(keys, axis=1, kind="stable")[:, :k]
        case("topk", [x, np.array([k])], [np.take_along_axis(x, order, 1), order], largest=int(largest))

for kind in NUMBERS:
    x = values(kind, int(r.integers(20, 200)))
    offsets = np.unique(r.integers(0, len(x), 9))
    case("segments", [x, np.append(offsets, len(x)).astype("uint32")],
         [np.add.reduceat(x, offsets), np.minimum.reduceat(x, offsets), np.maximum.reduceat(x, offsets)])

for kind in NUMBERS:
    for _ in range(4):
        dims = shape()
        x, axis = values(kind, dims), int(r.integers(len(dims)))
        outputs = [x.sum(axis, dtype=kind), x.min(axis), x.max(axis), x.argmin(axis), x.argmax(axis)]
        if np.dtype(kind).kind == "f":
            outputs += [x.mean(axis), x.var(axis)]
        case("reduce", [x], outputs, axis=axis)

# Matrices.

blas, lapack = scipy.linalg.blas, scipy.linalg.lapack


def matrix(kind, rows, cols):
    """A view of random strides, and the array that has it."""
    base = values(kind, (rows + 3, cols * 2 + 3)) / np.dtype(kind).type(32)
    step, skip = r.integers(1, 3), r.integers(0, 4)
    view = base[skip: skip + rows] if r.random() < 0.5 else base[::-1][skip: skip + rows]
    view = view[:, skip: skip + cols * step: step]
    if r.random() < 0.5:
        view = view[:, ::-1]
    if r.random() < 0.5:
        return matrix_of(np.ascontiguousarray(view.T).T)
    return base, view


def matrix_of(view):
    return view.base, view


def layout(base, view):
    size = view.itemsize
    at = (view.__array_interface__["data"][0] - base.__array_interface__["data"][0]) // size
    return [at, *view.shape, *(s // size for s in view.strides)]


def size(most=24):
    return int(r.integers(1, most))


for kind in ("float32", "float64") * 6 + ("float16",) * 3:
    m, k, n = size(18), size(18), size(18)
    (ab, a), (bb, b), (cb, c) = matrix(kind, m, k), matrix(kind, k, n), matrix(kind, m, n)
    wide = [v.astype(np.float64) for v in (a, b, c)]
    case("gemm", [ab, bb, cb], [(0.5 * wide[0] @ wide[1] - 2 * wide[2]).astype(kind)],
         a=layout(ab, a), b=layout(bb, b), c=layout(cb, c), alpha=0.5, beta=-2.0)
for kind in ("float32", "float64"):
    p, m, k, n = size(6), size(9), size(9), size(9)
    a, b = values(kind, (p, m, k)), values(kind, (p, n, k))
    case("einsum", [a, b], [np.einsum("bij,bkj->bik", a.astype(np.float64), b.astype(np.float64)).astype(kind)])

for kind in ("float32", "float64"):
    for n in (1, 5, 18, 35):
        a = values(kind, (n, n)) / np.dtype(kind).type(16)
        lu, pivots = scipy.linalg.lu_factor(a.astype(np.float64))
        b = values(kind, (n, 2))
        case("lu", [a, b], [lu.astype(kind), pivots, scipy.linalg.solve(a.astype(np.float64), b).astype(kind)])
        s = (a @ a.T / 100 + np.eye(n)).astype(kind)
        s = (s + s.T) / 2
        lower = scipy.linalg.cholesky(s.astype(np.float64), lower=True)
        case("cholesky", [s, b], [lower.astype(kind), scipy.linalg.solve(s.astype(np.float64), b, assume_a="pos").astype(kind)])
    for m, n in ((1, 1), (7, 3), (40, 11)):
        a, b = values(kind, (m, n)) + 40 * np.eye(m, n, dtype=kind), values(kind, (m, 2))
        (qr, tau), _ = scipy.linalg.qr(a.astype(np.float64), mode="raw")
        case("qr", [a, b], [qr.astype(kind), tau.astype(kind), scipy.linalg.lstsq(a.astype(np.float64), b)[0].astype(kind)])
    p, n = size(6), size(9)
    a = values(kind, (p, n, n)) / np.dtype(kind).type(16)
    s = (a @ a.transpose(0, 2, 1) / 100 + np.eye(n)).astype(kind)
    s = (s + s.transpose(0, 2, 1)) / 2
    wide = a.astype(np.float64)
    lu, pivots = scipy.linalg.lu_factor(wide)
    qr = [scipy.linalg.qr(m, mode="raw")[0] for m in wide]
    case("batches", [a, s], [lu.astype(kind), pivots, np.linalg.cholesky(s.astype(np.float64)).astype(kind),
                             np.array([f for f, _ in qr]).astype(kind), np.array([t for _, t in qr]).astype(kind)])


def banded(a, below, above):
    """Row i of the result has the elements (i, i-below) to (i, i+above)."""
    rows = np.zeros((a.shape[0], below + above + 1), a.dtype)
    for i in range(a.shape[0]):
        for j in range(max(i - below, 0), min(i + above + 1, a.shape[1])):
            rows[i, j - i + below] = a[i, j]
    return rows


def columns(a, below, above):
    """The same matrix as the BLAS has it: column j has the elements (j-above, j) to (j+below, j)."""
    return np.asfortranarray(banded(a.T, above, below).T)


for prefix, kind in (("s", "float32"), ("d", "float64")):
    of = lambda name: getattr(blas, prefix + name)
    for _ in range(4):
        m, n = size(14), size(14)
        below, above = int(r.integers(0, m)), int(r.integers(0, n))
        a = values(kind, (m, n)) / np.dtype(kind).type(32)
        x, y = values(kind, n), values(kind, m)
        inside = np.triu(np.tril(a, above), -below).astype(np.float64)
        case("gbmv", [banded(a, below, above), x, y], [(0.5 * inside @ x - y).astype(kind)], below=below, above=above)
        a = values(kind, (n, n)) / np.dtype(kind).type(32)
        below = int(r.integers(0, n))
        symmetric = np.tril(a) + np.tril(a, -1).T
        y = values(kind, n)
        case("sbmv", [banded(symmetric, below, 0), x, y], [of("sbmv")(below, 0.5, columns(np.tril(symmetric), below, 0), x, beta=-1.0, y=y, lower=1)], below=below)
        a[np.diag_indices(n)] += 80
        lower = columns(np.tril(a), below, 0)
        case("tbmv", [banded(a, below, 0), x], [of("tbmv")(below, lower, x, lower=1), of("tbsv")(below, lower, x, lower=1)], below=below)
        full = np.asfortranarray(a)
        case("level2", [a, x, y], [of("symv")(0.5, full, x, beta=-1.0, y=y, lower=1), of("trmv")(full, x, lower=0), of("trsv")(full, x, lower=1),
             of("ger")(0.5, x, y, a=full), np.tril(of("syr")(0.5, x, a=full, lower=1)), np.triu(of("syr2")(0.5, x, y, a=full, lower=0))])
        b, c = values(kind, (n, m)), values(kind, (n, n))
        b2 = values(kind, (n, m))
        case("level3", [a, b, c, b2], [of("symm")(0.5, full, b, lower=1), of("trmm")(0.5, full, b, lower=1), of("trsm")(0.5, full, b, lower=0),
             np.tril(of("syrk")(0.5, b, beta=-1.0, c=c, lower=1)), np.triu(of("syr2k")(0.5, b, b2, beta=-1.0, c=c, lower=0))])
        big = np.dtype(kind).type(1e30 if kind == "float32" else 1e300)
        rot = of("rot")(x, y, 0.6, 0.8)
        case("level1", [x, y, x * big], [*np.array([[of("dot")(x, y)], [of("asum")(x)], [of("nrm2")(x * big)]], kind), of("axpy")(x, y.copy(), a=0.5), *rot,
             getattr(blas, "i" + prefix + "amax")(x)])

# Signals.

for kind in ("float32", "float64"):
    for n, m in ((40, 9), (64, 30), (25, 25)):
        x, h = values(kind, n), values(kind, m)
        wide = [v.astype(np.float64) for v in (x, h)]
        case("convolve", [x, h], [f(*wide, mode).astype(kind) for f in (scipy.signal.fftconvolve, scipy.signal.correlate) for mode in ("full", "same", "valid")])
    for step in (1, 3):
        x, h = values(kind, 50), values(kind, 8)
        case("fir", [h, x], [scipy.signal.lfilter(h, [1.0], x.astype(np.float64))[::step].astype(kind)], step=step)
    x = values(kind, (2, 60))
    sos = scipy.signal.cheby1(4, 1, 0.3, output="sos")
    case("sosfilt", [sos.astype(kind), x], [scipy.signal.sosfilt(sos.astype(kind), x.astype(np.float64)).astype(kind)])
    for n, hop in ((16, 4), (15, 7)):
        x = values(kind, 130)
        window = scipy.signal.get_window("hann", n)
        _, _, z = scipy.signal.stft(x.astype(np.float64), window=window, nperseg=n, noverlap=n - hop, boundary=None, padded=False)
        case("stft", [x], [np.ascontiguousarray((z * window.sum()).T).view(np.float64).astype(kind)], n=n, hop=hop)
    for dims in ((12,), (17,), (4, 6), (3, 5, 8)):
        x = values(kind, dims)
        z = scipy.fft.rfftn(x.astype(np.float64))
        case("rfft", [x], [z.view(np.float64).astype(kind), scipy.fft.fftn(x.astype(np.float64)).view(np.float64).astype(kind)])
    for n in (5, 16):
        x = values(kind, (3, n))
        case("dct", [x], [scipy.fft.dct(x.astype(np.float64), t).astype(kind) for t in (2, 3, 4)])

    x = values(kind, (3, 40))
    h = values(kind, 5)
    case("fir_channels", [h, x], [scipy.signal.lfilter(h, [1.0], x.astype(np.float64)).astype(kind)])
    x, h = values(kind, (9, 7)), values(kind, (4, 3))
    wide = [v.astype(np.float64) for v in (x, h)]
    case("convolve2d", [x, h], [f(*wide, mode).astype(kind) for f in (scipy.signal.convolve2d, scipy.signal.correlate) for mode in ("full", "same", "valid")])
    for dims in ((12,), (15,), (4, 6), (3, 5, 8)):
        z = scipy.fft.rfftn(values(kind, dims).astype(np.float64)) + 1
        c = (values(kind, dims) + 1j * values(kind, dims)).astype(np.complex128)
        case("irfft", [z.view(np.float64).astype(kind), c.view(np.float64).astype(kind)],
             [scipy.fft.irfftn(z.view(np.float64).astype(kind).astype(np.float64).view(np.complex128), s=dims).astype(kind),
              scipy.fft.ifftn(c, norm="ortho").view(np.float64).astype(kind)], shape=dims)
    for n, hop in ((16, 4), (12, 5)):
        frames = (100 - n) // hop + 1
        window = scipy.signal.get_window("hamming", n)
        z = values(kind, (frames, n // 2 + 1)) + 1j * values(kind, (frames, n // 2 + 1))
        z[:, 0], z[:, -1] = z[:, 0].real, z[:, -1].real
        _, x = scipy.signal.istft((z / window.sum()).T, window=window, nperseg=n, noverlap=n - hop, boundary=False)
        case("istft", [z.astype(np.complex128).view(np.float64).astype(kind)], [x.astype(kind)], n=n, hop=hop)
    for n in (6, 11):
        x = values(kind, (2, n))
        wide = x.astype(np.float64)
        case("dct_ortho", [x], [f(wide, t, norm="ortho").astype(kind) for t in (2, 3, 4) for f in (scipy.fft.dct, scipy.fft.idct)])

# Images.

im = scipy.ndimage
for _ in range(3):
    height, width = int(r.integers(4, 20)), int(r.integers(4, 20))
    x = (r.integers(0, 256, (height, width)) / 256).astype("float32")
    wide = x.astype(np.float64)
    for border, mode in (("clamp", "nearest"), ("mirror", "mirror"), ("reflect", "reflect"), ("wrap", "grid-wrap"), ("constant", "grid-constant")):
        options, filter_mode = {"mode": mode, "cval": 0.25}, mode.removeprefix("grid-")
        weights = values("float32", (3, 5))
        case("correlate", [x, weights], [im.correlate(wide, weights.astype(np.float64), mode=filter_mode, cval=0.25).astype("float32")], border=border)
        at = r.integers(-3 * 64, 24 * 64, (2, 5, 6)) / 64 + 1 / 256
        case("remap", [x, np.stack([at[1], at[0]], -1).astype("float32")],
             [im.map_coordinates(wide, at, order=k, **options).astype("float32") for k in (0, 1)], border=border)
        bytes_of = (x * 256).astype("uint8")
        case("morphology", [bytes_of], [im.grey_erosion(bytes_of, size=(3, 5), mode=filter_mode, cval=40),
             im.grey_dilation(bytes_of, size=(3, 5), mode=filter_mode, cval=40), im.median_filter(bytes_of, size=3, mode=filter_mode, cval=40)], border=border)
    weights = np.array([[r.uniform(0.6, 1.4), r.uniform(-0.4, 0.4)], [r.uniform(-0.4, 0.4), r.uniform(0.6, 1.4)]])
    shift = r.uniform(-2, 2, 2)
    case("affine", [x, np.array([*weights[1, ::-1], shift[1], *weights[0, ::-1], shift[0]])],
         [im.affine_transform(wide, weights, shift, output_shape=(11, 13), order=1, mode="grid-constant", cval=0.25).astype("float32")])
    case("gradients", [x], [im.sobel(wide, 1).astype("float32"), im.sobel(wide, 0).astype("float32"), im.laplace(wide).astype("float32"),
                            im.gaussian_filter(wide, 0.9).astype("float32"), im.uniform_filter(wide, (3, 5)).astype("float32")])
    case("percentile", [bytes_of], [im.percentile_filter(bytes_of, q, size=3) for q in (0, 25, 50, 100)] + [im.median_filter(bytes_of, size=5)])
    case("counts", [bytes_of], [np.bincount(bytes_of.ravel(), minlength=256)])

text = json.dumps({"versions": {"numpy": np.__version__, "scipy": scipy.__version__}, "cases": cases}, separators=(",", ":"))
data = gzip.compress(text.encode(), compresslevel=9, mtime=0)
pathlib.Path(__file__).with_name("arrays.json.gz").write_bytes(data)
print(len(cases), "cases,", len(data), "bytes")
