"""Times OpenCV's functions for what BenchmarkImages measures, with all cores.

  pip install numpy opencv-python-headless
  python opencv.py

A line is a name of BenchmarkImages and a median in milliseconds.
"""
import os
import statistics
import time

import cv2
import numpy

cv2.setNumThreads(os.cpu_count())
WIDTH, HEIGHT = 1920, 1080
index = numpy.arange(WIDTH * HEIGHT * 3, dtype=numpy.int64)
noise = ((index * index >> 7) + (index >> 3)).astype(numpy.uint8)
rgb = noise.reshape(HEIGHT, WIDTH, 3)
gray = noise[: WIDTH * HEIGHT].reshape(HEIGHT, WIDTH).copy()
turned = cv2.getRotationMatrix2D((900, 500), 11.5, 1)

for name, call in {
    "copy": rgb.copy,
    "gauss5": lambda: cv2.GaussianBlur(rgb, (5, 5), 0.5),
    "gauss13": lambda: cv2.GaussianBlur(rgb, (13, 13), 1.5),
    "gauss41": lambda: cv2.GaussianBlur(rgb, (41, 41), 5),
    "box5": lambda: cv2.blur(rgb, (5, 5), borderType=cv2.BORDER_REPLICATE),
    "sobel": lambda: (cv2.Sobel(gray, cv2.CV_32F, 1, 0), cv2.Sobel(gray, cv2.CV_32F, 0, 1)),
    "filter5x5": lambda: cv2.filter2D(rgb, -1, numpy.ones((5, 5), numpy.float32)),
    "bilinear half": lambda: cv2.resize(rgb, (WIDTH // 2, HEIGHT // 2), interpolation=cv2.INTER_LINEAR),
    "area half": lambda: cv2.resize(rgb, (WIDTH // 2, HEIGHT // 2), interpolation=cv2.INTER_AREA),
    "bicubic double": lambda: cv2.resize(rgb, (WIDTH * 2, HEIGHT * 2), interpolation=cv2.INTER_CUBIC),
    "median3": lambda: cv2.medianBlur(rgb, 3),
    "erode3": lambda: cv2.erode(rgb, numpy.ones((3, 3), numpy.uint8)),
    "erode15": lambda: cv2.erode(rgb, numpy.ones((15, 15), numpy.uint8)),
    "gray": lambda: cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY),
    "hsv": lambda: cv2.cvtColor(rgb, cv2.COLOR_RGB2HSV),
    "warp bilinear": lambda: cv2.warpAffine(rgb, turned, (WIDTH, HEIGHT)),
    "bilateral5": lambda: cv2.bilateralFilter(rgb, 5, 25, 2),
    "equalize": lambda: cv2.equalizeHist(gray),
    "canny": lambda: cv2.Canny(gray, 50, 150),
}.items():
    times = []
    for _ in range(25):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    print(f"{name:16} {1000 * statistics.median(times):8.2f}")
