"""Makes others.json: what other libraries compute of one picture.

  pip install numpy==2.* scipy pillow opencv-python-headless scikit-image
  python make.py

The file names the versions. Each entry has a shape, a type and the samples in base64.
"""
import base64
import json
import pathlib

import cv2
import numpy as np
import PIL
import scipy
import scipy.ndimage as ndi
import skimage
import skimage.color
from PIL import Image

WIDTH, HEIGHT = 41, 29
y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
r = np.random.default_rng(1)
red = 128 + 90 * np.sin(x / 5.0) * np.cos(y / 7.0)
green = np.where((x - 20) ** 2 + (y - 14) ** 2 < 81, 210, 40)
blue = x * 5 + y
rgb = np.stack([red, green, blue], 2) + r.normal(0, 6, (HEIGHT, WIDTH, 3))
rgb = np.clip(np.rint(rgb), 0, 255).astype(np.uint8)
gray = np.ascontiguousarray(rgb[:, :, 1])
unit = (gray / 255.0).astype(np.float32)

entries = {}


def put(name, a):
    a = np.ascontiguousarray(a)
    entries[name] = {"shape": a.shape, "type": str(a.dtype), "data": base64.b64encode(a.tobytes()).decode()}


put("rgb", rgb)
put("gray", gray)

# SciPy: float64 inside.
put("scipy gaussian 1.3 mirror", ndi.gaussian_filter(unit.astype(np.float64), 1.3, mode="mirror").astype(np.float32))
put("scipy gaussian 2.5 wrap", ndi.gaussian_filter(unit.astype(np.float64), 2.5, mode="wrap").astype(np.float32))
put("scipy uniform 5 nearest", ndi.uniform_filter(unit.astype(np.float64), 5, mode="nearest").astype(np.float32))
put("scipy median 5 mirror", ndi.median_filter(gray, 5, mode="mirror"))
put("scipy percentile 3 constant", ndi.percentile_filter(gray, 100, 3, mode="constant", cval=9))
cross = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], bool)
put("scipy erosion cross", ndi.grey_erosion(gray, footprint=cross, mode="nearest"))
put("scipy laplace mirror", ndi.laplace(gray.astype(np.float32), mode="mirror"))

# OpenCV.
put("opencv gaussian 7 1.5", cv2.GaussianBlur(gray, (7, 7), 1.5, borderType=cv2.BORDER_REFLECT_101))
put("opencv box 5x3", cv2.blur(rgb, (5, 3), borderType=cv2.BORDER_REPLICATE))
put("opencv sobel x", cv2.Sobel(gray, cv2.CV_32F, 1, 0, ksize=3, borderType=cv2.BORDER_REFLECT_101))
put("opencv scharr y", cv2.Scharr(gray, cv2.CV_32F, 0, 1, borderType=cv2.BORDER_REPLICATE))
put("opencv median 3", cv2.medianBlur(rgb, 3))
put("opencv median 5", cv2.medianBlur(rgb, 5))
put("opencv canny", cv2.Canny(gray, 60, 180))
put("opencv canny l2", cv2.Canny(gray, 60, 180, L2gradient=True))
put("opencv equalize", cv2.equalizeHist(gray))
put("opencv clahe 4x3", cv2.createCLAHE(2.0, (4, 3)).apply(gray))
put("opencv clahe 1x1", cv2.createCLAHE(40.0, (1, 1)).apply(gray))
put("opencv otsu", cv2.threshold(gray, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)[1])
put("opencv open 5x3", cv2.morphologyEx(gray, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_RECT, (5, 3))))
put("opencv gray", cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY))
put("opencv lab", cv2.cvtColor(rgb, cv2.COLOR_RGB2Lab))
for name, flag in (("linear", cv2.INTER_LINEAR), ("cubic", cv2.INTER_CUBIC), ("area", cv2.INTER_AREA)):
    put("opencv resize " + name, cv2.resize(rgb, (23, 17), interpolation=flag))
put("opencv enlarge cubic", cv2.resize(rgb, (90, 50), interpolation=cv2.INTER_CUBIC))
turn = cv2.getRotationMatrix2D((20, 14), -30, 0.8)
put("opencv warp", cv2.warpAffine(unit, turn, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=0.25))
corners = np.float32([[0, 0], [40, 0], [40, 28], [0, 28]]), np.float32([[3, 2], [35, 5], [38, 25], [1, 27]])
put("opencv perspective", cv2.warpPerspective(unit, cv2.getPerspectiveTransform(*corners), (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))

# Pillow.
of = Image.fromarray(rgb)
for name, how in (("bilinear", Image.BILINEAR), ("bicubic", Image.BICUBIC), ("lanczos", Image.LANCZOS), ("nearest", Image.NEAREST)):
    put("pillow resize " + name, np.asarray(of.resize((23, 17), how)))
    put("pillow enlarge " + name, np.asarray(of.resize((77, 44), how)))
put("pillow ycbcr", np.asarray(of.convert("YCbCr")))
put("pillow hsv", np.asarray(of.convert("HSV")))

# scikit-image: float64.
put("skimage lab", skimage.color.rgb2lab(rgb).astype(np.float32))

versions = {"numpy": np.__version__, "scipy": scipy.__version__, "opencv": cv2.__version__, "pillow": PIL.__version__, "scikit-image": skimage.__version__}
pathlib.Path(__file__).with_name("others.json").write_text(json.dumps({"versions": versions, "pictures": entries}, indent=0) + "\n")
