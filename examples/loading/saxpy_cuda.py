# CUDA from Python, with ctypes alone: any kernel whose resources are buffers, from its description.
#
#   $ python3 saxpy_cuda.py
import ctypes
import hashlib
import json
import struct
import sys
from ctypes import byref, c_char_p, c_int, c_uint32, c_uint64, c_void_p

cuda = ctypes.CDLL({"linux": "libcuda.so.1", "win32": "nvcuda.dll"}[sys.platform])


def call(name, *arguments):
    result = getattr(cuda, name)(*arguments)
    if result != 0:
        text = c_char_p()
        cuda.cuGetErrorName(result, byref(text))
        sys.exit(f"{name}: {(text.value or b'?').decode()}")


def argument(parameter, bindings, buffers):
    """What a parameter takes of the buffers, which are pairs of an address and a size."""
    address, size = buffers[parameter["binding"]]
    if parameter["kind"] == "address":
        return c_uint64(address)
    if parameter["kind"] == "bytes":
        return c_uint32(size)
    if parameter["kind"] == "length":
        b = bindings[parameter["binding"]]
        return c_uint32((size - b["size"]) // b["stride"])
    sys.exit(f"this program has buffers alone, and the kernel takes {parameter}")


class Kernel:
    def __init__(self, path):
        with open(path) as f:
            self.description = d = json.load(f)
        if d["version"] != 2 or d["target"] != "ptx":
            sys.exit(f"{path} describes no PTX in version 2")
        with open(d["code"]["file"], "rb") as f:
            code = f.read()
        if hashlib.sha256(code).hexdigest() != d["code"]["sha256"]:
            sys.exit(f"{d['code']['file']} is not the code that {path} describes")
        self.module, self.function = c_void_p(), c_void_p()
        call("cuModuleLoadData", byref(self.module), c_char_p(code))
        call("cuModuleGetFunction", byref(self.function), self.module, d["name"].encode())
        self.shared = d.get("dynamicWorkgroupBytes", 0)
        if self.shared:
            call("cuFuncSetAttribute", self.function, c_int(8), c_int(self.shared))  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES

    def run(self, invocations, contents):
        """Runs the kernel on the contents of its buffers, by name, and returns what they hold then."""
        bindings = self.description["bindings"]
        buffers = []
        for b in bindings:
            data = contents[b["name"]]
            if len(data) < b["size"] + b.get("stride", 0):
                sys.exit(f"{b['name']} takes {b['size']} bytes and elements of {b.get('stride', 0)}")
            memory = c_uint64()
            call("cuMemAlloc_v2", byref(memory), ctypes.c_size_t(len(data)))
            call("cuMemcpyHtoD_v2", memory, c_char_p(data), ctypes.c_size_t(len(data)))
            buffers.append((memory.value, len(data)))
        values = [argument(p, bindings, buffers) for p in self.description["parameters"]]
        pointers = (c_void_p * len(values))(*[ctypes.addressof(v) for v in values])
        x, y, z = self.description["workgroup"]
        call("cuLaunchKernel", self.function, -(-invocations // x), 1, 1, x, y, z, self.shared, None, pointers, None)
        results = {}
        for b, (memory, size) in zip(bindings, buffers):
            data = ctypes.create_string_buffer(size)
            call("cuMemcpyDtoH_v2", data, c_uint64(memory), ctypes.c_size_t(size))
            call("cuMemFree_v2", c_uint64(memory))
            results[b["name"]] = data.raw
        return results


device, context = c_int(), c_void_p()
call("cuInit", 0)
call("cuDeviceGet", byref(device), 0)
call("cuDevicePrimaryCtxRetain", byref(context), device)
call("cuCtxSetCurrent", context)
count = 1000
kernel = Kernel("saxpy.ptx.json")
results = kernel.run(count, {
    "parameters": struct.pack("<fI", 2, count),
    "x": struct.pack(f"<{count}f", *range(count)),
    "y": struct.pack(f"<{count}f", *[1] * count),
})
call("cuModuleUnload", kernel.module)
call("cuDevicePrimaryCtxRelease_v2", device)
y = struct.unpack(f"<{count}f", results["y"])
if list(y) != [2 * i + 1 for i in range(count)]:
    sys.exit(f"y is {y}")
print(f"y[{count - 1}] = {y[-1]:g}")
