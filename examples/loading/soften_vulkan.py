# Vulkan from Python: the same kernel as in soften_vulkan.c.
#
#   $ python3 soften_vulkan.py
import struct
import sys
from ctypes import byref, c_float, c_uint32

from saxpy_vulkan import GENERAL, Device, Kernel, created, info, read, vk
from tint_vulkan import NONE, SHADER, TRANSFER, Copy, Texture

SamplerInfo = info(("flags", c_uint32), ("magnify", c_uint32), ("minify", c_uint32), ("mipmap", c_uint32), ("u", c_uint32), ("v", c_uint32), ("w", c_uint32), ("bias", c_float),
                   ("anisotropy", c_uint32), ("mostAnisotropy", c_float), ("compare", c_uint32), ("comparison", c_uint32), ("lowest", c_float), ("highest", c_float),
                   ("border", c_uint32), ("unnormalised", c_uint32))
RGBA8 = 37  # VK_FORMAT_R8G8B8A8_UNORM

width, height = 8, 4
description = read("soften.json")
device = Device(description)
picture, result = Texture(device, RGBA8, width, height, 2 | 4), Texture(device, RGBA8, width, height, 8 | 1)  # to be stored to, and copied from
picture.fill(bytes(4 * (n // 4) for n in range(4 * width * height)))
device.submit(lambda command: result.change(command, GENERAL, NONE, SHADER))
linear = created("vkCreateSampler", device.handle, SamplerInfo(sType=31, magnify=1, minify=1, u=2, v=2, w=2))  # linear, clamped to the edges
members = {m["name"]: m["offset"] for m in description["structs"][0]["members"]}
constants = bytearray(description["vulkan"]["pushConstants"]["size"])
struct.pack_into("<2f", constants, members["step"], 0.5 / width, 0)
struct.pack_into("<f", constants, members["weight"], 0.5)
Kernel(device, description).run((width, height, 1), {}, {"picture": picture.view, "linear": linear, "result": result.view}, bytes(constants))

staging, texels = device.buffer(4 * width * height, 2)  # VK_BUFFER_USAGE_TRANSFER_DST_BIT


def copy(command):
    result.change(command, 6, SHADER, TRANSFER)  # VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL
    vk.vkCmdCopyImageToBuffer(command, result.image, 6, staging, 1, byref(Copy(aspect=1, layers=1, extent=result.extent)))


device.submit(copy)
wanted = [n // 4 * 4 + (n // 4 % width < width - 1) for n in range(4 * width * height)]
if list(texels.raw) != wanted:
    sys.exit(f"result is {list(texels.raw)}")
print(f"result[{width * height - 2}] = {texels.raw[-8]}")
