#!/usr/bin/env bash
# Times gpuc's code and nvcc's side by side on an NVIDIA GPU, in one run: kernels by all
# ways and by CUB and cuBLAS, then what a launch costs, then PyTorch's own operations where
# it is installed. Takes nvcc on the path, with CUB's headers and cuBLAS if these are to be
# there, and the bench as a program:
#
#   CGO_ENABLED=0 go build -o gpubench ./internal/gpubench/run
#   testdata/benchmarks/gpu/run.sh ./gpubench [times.json [folder]]
#
# A folder has cub.so and cublas.so, which `gpubench -build-libraries folder` makes elsewhere.
set -euo pipefail
bench=$(realpath "$1")
out=$(realpath -m "${2:-times.json}")
here=$(dirname "$(realpath "$0")")
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
status=0
"$bench" -kernels "$here" -json "$out" ${3:+-libraries "$3"} || status=$?
"$bench" -kernels "$here" -launches || status=$?
if python3 -c 'import torch' 2>/dev/null; then python3 "$here/torch_times.py" || status=$?; fi
exit $status
