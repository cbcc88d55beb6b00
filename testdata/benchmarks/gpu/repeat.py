#!/usr/bin/env python3
"""Holds `gpuc run -repeat` against Nsight Compute: ten kernels of 5 µs to 5 ms on an NVIDIA GPU.

    python3 testdata/benchmarks/gpu/repeat.py GPUC [NCU OPTIONS]

Takes gpuc and ncu (on the PATH). Both run the same command; ncu measures each launch of it. By
default ncu leaves clocks and caches alone, as a program does; its times of 5 µs differ by 4 % from
launch to launch, so the median of many counts. The last column is what -repeat says
of Vulkan, which ncu does not measure.
"""
import csv, json, os, statistics, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
M = 1 << 20
# kernel, and what is bound and launched
KERNELS = [
    ("vector_add", f"-bind a=rand({M},1) -bind b=rand({M},2) -bind c=zeros({M}) -extent {M}"),
    ("scale_add", f"-bind x=rand({2*M},1) -bind y=rand({2*M},2) -bind s=0.5 -extent {2*M}"),  # in place
    ("histogram", f"-bind words=rand({4*M},1) -bind counts=zeros(256) -grid 1024"),  # in place
    ("vector_add", f"-bind a=rand({16*M},1) -bind b=rand({16*M},2) -bind c=zeros({16*M}) -extent {16*M}"),
    ("scale_add", f"-bind x=rand({32*M},1) -bind y=rand({32*M},2) -bind s=0.5 -extent {32*M}"),  # in place
    ("sum", f"-bind a=rand({64*M},1) -bind sums=zeros(2112) -grid 2112"),
    ("transpose", f"-bind a=rand({16*M},1) -bind b=zeros({16*M}) -bind n=4096 -grid 128,128"),
    ("mandelbrot", f"-bind turns=zeros({4*M}) -bind width=2048 -extent 2048,2048"),
    ("nbody", "-bind bodies=rand(131072,1) -bind accelerations=zeros(131072) -extent 32768"),
    ("sgemm16", f"-bind a=rand({2816*2816},1) -bind b=rand({2816*2816},2) -bind c=zeros({2816*2816}) -bind n=2816 -grid 176,176"),
]
UNITS = {"ns": 1e-3, "nsecond": 1e-3, "us": 1, "usecond": 1, "ms": 1e3, "msecond": 1e3, "s": 1e6, "second": 1e6}


def repeat(gpuc, device, kernel, arguments):
    line = [gpuc, "run", f"{HERE}/{kernel}.wgsl", "-device", device, "-count", "never", "-repeat", "20", "-json", *arguments.split()]
    out = subprocess.run(line, capture_output=True, text=True)
    try:
        return json.loads(out.stdout)["results"]["statistics"]
    except (ValueError, KeyError, TypeError):
        sys.exit(f"{' '.join(line)}: {out.stdout} {out.stderr}")


def ncu(gpuc, kernel, arguments, options):
    # Launches of the kernel alone are measured: what fills buffers is the driver's.
    line = ["ncu", *options, "-k", f"regex:{kernel}", "--metrics", "gpu__time_duration.sum", "--csv", gpuc, "run", f"{HERE}/{kernel}.wgsl",
            "-device", "cuda", "-count", "never", "-repeat", "24", *arguments.split()]
    out = subprocess.run(line, capture_output=True, text=True).stdout
    times = [float(r["Metric Value"].replace(",", "")) * UNITS[r["Metric Unit"]]
             for r in csv.DictReader(l for l in out.splitlines() if l.startswith('"'))]
    if not times:
        sys.exit(f"{' '.join(line)}: {out}")
    return statistics.median(times[len(times) // 3:]), len(times)


def main():
    gpuc = os.path.abspath(sys.argv[1])
    options = sys.argv[2:] or ["--clock-control", "none", "--cache-control", "none"]
    print("| kernel | ncu, µs | -repeat, µs | of ncu's | fastest to slowest | events, µs | through Vulkan, µs |\n| --- | --- | --- | --- | --- | --- | --- |")
    worst = 0
    for kernel, arguments in KERNELS:
        judged, count = ncu(gpuc, kernel, arguments, options)
        s = repeat(gpuc, "cuda", kernel, arguments)
        v = repeat(gpuc, "vulkan", kernel, arguments)
        worst = max(worst, abs(s["median"] * 1e6 / judged - 1))
        print(f"| {kernel} | {judged:.2f} ({count}) | {s['median']*1e6:.2f} | {s['median']*1e6/judged:.3f} | {s['fastest']*1e6:.2f} to {s['slowest']*1e6:.2f} |"
              f" {s.get('overhead', 0)*1e6:.2f} | {v['median']*1e6:.2f} ({v['launches']}) |", flush=True)
    print(f"apart by {100*worst:.1f} % at most")
    sys.exit(worst > 0.02)


main()
