# Vulkan from Python: a storage texture, and the device features that a description requires.
#
#   $ python3 tint_vulkan.py
import struct
import sys
from ctypes import byref, c_int32, c_uint32, c_uint64

from saxpy_vulkan import READ, Device, Kernel, Requirements, call, created, info, read, structure, vk

Extent = c_uint32 * 3
Range = structure("Range", ("aspect", c_uint32), ("level", c_uint32), ("levels", c_uint32), ("layer", c_uint32), ("layers", c_uint32))
ImageInfo = info(("flags", c_uint32), ("dimensions", c_uint32), ("format", c_uint32), ("extent", Extent), ("levels", c_uint32), ("layers", c_uint32), ("samples", c_uint32),
                 ("tiling", c_uint32), ("usage", c_uint32), ("sharing", c_uint32), ("familyCount", c_uint32), ("families", c_uint64), ("layout", c_uint32))
ViewInfo = info(("flags", c_uint32), ("image", c_uint64), ("dimensions", c_uint32), ("format", c_uint32), ("swizzle", c_uint32 * 4), ("range", Range))
ImageBarrier = info(("source", c_uint32), ("destination", c_uint32), ("before", c_uint32), ("behind", c_uint32), ("family", c_uint32), ("familyBehind", c_uint32),
                    ("image", c_uint64), ("range", Range))
Copy = structure("Copy", ("offset", c_uint64), ("row", c_uint32), ("height", c_uint32), ("aspect", c_uint32), ("level", c_uint32), ("layer", c_uint32), ("layers", c_uint32),
                 ("at", c_int32 * 3), ("extent", Extent))

COLOUR = Range(1, 0, 1, 0, 1)  # VK_IMAGE_ASPECT_COLOR_BIT, one level and layer
WRITTEN = 7  # VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL
NONE, SHADER, TRANSFER = (0, 1), (0x60, 0x800), (0x1800, 0x1000)  # what reads and writes (VkAccessFlags), and where (VkPipelineStageFlags)


class Texture:
    """An image of one level in a format of Vulkan (VkFormat), for uses (VkImageUsageFlags), and a view of it."""

    def __init__(self, device, format, width, height, usage):
        self.device, self.extent = device, Extent(width, height, 1)
        self.image = created("vkCreateImage", device.handle, ImageInfo(sType=14, dimensions=1, format=format, extent=self.extent, levels=1, layers=1, samples=1, usage=usage))
        needs = Requirements()
        vk.vkGetImageMemoryRequirements(device.handle, self.image, byref(needs))
        call("vkBindImageMemory", device.handle, self.image, device.memory(needs, 0), c_uint64(0))
        self.view = created("vkCreateImageView", device.handle, ViewInfo(sType=15, image=self.image, dimensions=1, format=format, range=COLOUR))
        self.layout = 0  # VK_IMAGE_LAYOUT_UNDEFINED

    def change(self, command, layout, source, destination):
        """Brings the image into a layout, between what was done with it and what is going to be."""
        barrier = ImageBarrier(sType=45, source=source[0], destination=destination[0], before=self.layout, behind=layout, family=2**32 - 1, familyBehind=2**32 - 1,
                               image=self.image, range=COLOUR)
        vk.vkCmdPipelineBarrier(command, source[1], destination[1], 0, 0, None, 0, None, 1, byref(barrier))
        self.layout = layout

    def fill(self, texels):
        """Copies texels into the image, and makes it one that is sampled."""
        staging, data = self.device.buffer(len(texels), 1)  # VK_BUFFER_USAGE_TRANSFER_SRC_BIT
        data[:] = texels

        def record(command):
            self.change(command, WRITTEN, NONE, TRANSFER)
            vk.vkCmdCopyBufferToImage(command, staging, self.image, WRITTEN, 1, byref(Copy(aspect=1, layers=1, extent=self.extent)))
            self.change(command, READ, TRANSFER, SHADER)

        self.device.submit(record)


def main():
    width, height = 5, 3
    texels = [n for n in range(4 * width * height)]
    tints = [1, 2, 3, 4] + [0.5] * 4 + [0, 1, 0, -1]
    description = read("tint.json")
    device = Device(description)
    picture = Texture(device, 97, width, height, 2 | 4)  # VK_FORMAT_R16G16B16A16_SFLOAT, which every device samples, to be copied to and sampled
    picture.fill(struct.pack(f"<{len(texels)}e", *texels))
    results = Kernel(device, description).run((width, height, 1), {
        "tints": struct.pack(f"<{len(tints)}e", *tints),
        "result": bytes(2 * len(texels)),
    }, {"picture": picture.view})
    result = struct.unpack(f"<{len(texels)}e", results["result"])
    wanted = [x * tints[n // (4 * width) * 4 + n % 4] for n, x in enumerate(texels)]
    if list(result) != wanted:
        sys.exit(f"result is {result}")
    print(f"result[{width * height - 1}] = {result[-4:]}")


if __name__ == "__main__":
    main()
