# Makes scipy.json, which TestSciPy reads: python3 make.py, with NumPy 2 and SciPy 1.
import json
import numpy
import scipy
from scipy import fft, signal

random = numpy.random.default_rng(1)


def pairs(x):
    return [[float(v.real), float(v.imag)] for v in numpy.ravel(x)]


def numbers(x):
    return [float(v) for v in numpy.ravel(x)]


made = {"versions": [numpy.__version__, scipy.__version__]}

names = {
    "Rectangular": "boxcar", "Bartlett": "bartlett", "Hann": "hann", "Hamming": "hamming", "Blackman": "blackman",
    "BlackmanHarris": "blackmanharris", "Nuttall": "nuttall", "FlatTop": "flattop",
    "Gaussian": ("gaussian", 3.5), "Tukey": ("tukey", 0.4), "Kaiser": ("kaiser", 8.6),
}
made["windows"] = {
    name: {n: numbers(signal.get_window(w, n, fftbins=False)) for n in (1, 2, 7, 16)} for name, w in names.items()
}
made["periodic"] = numbers(signal.get_window("hann", 12))

made["fft"] = []
for shape in ((1,), (6,), (17,), (49,), (5, 6), (3, 4, 7)):
    x = random.random(shape) - 0.5 + 1j * (random.random(shape) - 0.5)
    r = random.random(shape) - 0.5
    made["fft"].append({
        "shape": shape, "x": pairs(x), "forward": pairs(fft.fftn(x)), "ortho": pairs(fft.ifftn(x, norm="ortho")),
        "samples": numbers(r), "real": pairs(fft.rfftn(r)),
    })

made["convolve"] = []
for n, m in (((9,), (4,)), ((6, 7), (3, 2))):
    x, h = random.random(n) - 0.5, random.random(m) - 0.5
    made["convolve"].append({
        "signal": n, "kernel": m, "x": numbers(x), "h": numbers(h),
        "convolve": [numbers(signal.convolve(x, h, mode)) for mode in ("full", "same", "valid")],
        "correlate": [numbers(signal.correlate(x, h, mode)) for mode in ("full", "same", "valid")],
    })

sos = signal.butter(5, 0.2, output="sos")
x = random.random(40) - 0.5
made["sosfilt"] = {"sos": numbers(sos), "x": numbers(x), "y": numbers(signal.sosfilt(sos, x))}

made["dct"] = []
for kind in (2, 3, 4):
    for n in (1, 6, 9):
        x = random.random(n) - 0.5
        made["dct"].append({
            "kind": kind, "x": numbers(x), "plain": numbers(fft.dct(x, kind)), "ortho": numbers(fft.dct(x, kind, norm="ortho")),
        })

with open("scipy.json", "w") as f:
    json.dump(made, f, separators=(",", ":"))
    f.write("\n")
