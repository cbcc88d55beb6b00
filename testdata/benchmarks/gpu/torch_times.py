"""Times PyTorch's own operations at the sizes of the bench (internal/gpubench/kernels.go),
where it has one that does the same: medians of 20 launches by events, in milliseconds.
Matrix products are in full f32, as the bench's are."""

import torch
import torch.nn.functional as F

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
device = torch.device("cuda")
torch.manual_seed(1)


def rand(*size):
    return torch.rand(*size, device=device)


def median(launch):
    for _ in range(3):
        launch()
    times = []
    for _ in range(20):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        launch()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return sorted(times)[len(times) // 2]


def vector_add():
    a, b, c = rand(1 << 26), rand(1 << 26), torch.empty(1 << 26, device=device)
    return lambda: torch.add(a, b, out=c)


def copy():
    a, b = rand(1 << 26), torch.empty(1 << 26, device=device)
    return lambda: b.copy_(a)


def scale_add():
    x, y = rand(1 << 26), rand(1 << 26)
    return lambda: y.add_(x, alpha=1e-3)


def gelu():
    x = rand(1 << 26)
    return lambda: F.gelu(x, approximate="tanh")


def sum():
    a = rand(1 << 28)
    return lambda: a.sum()


def dot():
    a, b = rand(1 << 27), rand(1 << 27)
    return lambda: torch.dot(a, b)


def matvec():
    a, x = rand(16384, 16384), rand(16384)
    return lambda: torch.mv(a, x)


def sgemm():
    a, b = rand(4096, 4096), rand(4096, 4096)
    return lambda: torch.mm(a, b)


def gemm_batched():
    a, b = rand(1 << 18, 16, 16), rand(1 << 18, 16, 16)
    return lambda: torch.bmm(a, b)


def transpose():
    a = rand(8192, 8192)
    return lambda: a.t().contiguous()


def softmax():
    x = rand(8192, 8192)
    return lambda: F.softmax(x, dim=1)


def layer_norm():
    x, gamma, beta = rand(16384, 4096), rand(4096), rand(4096)
    return lambda: F.layer_norm(x, (4096,), gamma, beta)


def conv3x3():
    a, w = rand(1, 1, 8192, 8192), rand(1, 1, 3, 3)
    return lambda: F.conv2d(a, w, padding=1)


def bilinear():
    a = rand(1, 1, 4096, 4096)
    return lambda: F.interpolate(a, scale_factor=2, mode="bilinear", align_corners=False)


def bicubic():
    a = rand(1, 1, 4096, 4096)
    return lambda: F.interpolate(a, scale_factor=2, mode="bicubic", align_corners=False)


def embedding():
    table, indices = rand(1 << 18, 256), torch.randint(1 << 18, (1 << 17,), device=device)
    return lambda: F.embedding(indices, table)


def fft256():
    a = torch.view_as_complex(rand(1 << 17, 256, 2))
    return lambda: torch.fft.fft(a)


operations = [vector_add, copy, scale_add, gelu, embedding, sum, dot, matvec, sgemm, gemm_batched, transpose, softmax,
              layer_norm, conv3x3, bilinear, bicubic, fft256]

print("torch", torch.__version__, torch.cuda.get_device_name())
with torch.no_grad():
    for operation in operations:
        print(f"{operation.__name__:14s} {median(operation()):9.4f} ms")
        torch.cuda.empty_cache()
