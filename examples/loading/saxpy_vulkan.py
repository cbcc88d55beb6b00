# Vulkan from Python, with ctypes alone: any kernel whose resources are buffers in one group, from its description.
#
#   $ python3 saxpy_vulkan.py
import ctypes
import hashlib
import json
import struct
import sys
from ctypes import POINTER, Structure, byref, c_char_p, c_float, c_int32, c_uint32, c_uint64, c_void_p, cast, pointer

NAMES = {"linux": "libvulkan.so.1", "win32": "vulkan-1.dll", "darwin": "libvulkan.1.dylib"}
vk = ctypes.CDLL(NAMES[sys.platform])


def call(name, *arguments):
    result = getattr(vk, name)(*arguments)
    if result != 0:
        sys.exit(f"{name}: VkResult {result}")


def structure(name, *fields):
    """A structure of Vulkan whose other members stay zero."""
    return type(name, (Structure,), {"_fields_": list(fields)})


def info(*fields):
    """A structure that begins with its type and what extends it."""
    return structure("Info", ("sType", c_uint32), ("pNext", c_void_p), *fields)


# the structures, as vulkan_core.h has them
ApplicationInfo = info(("name", c_char_p), ("version", c_uint32), ("engine", c_char_p), ("engineVersion", c_uint32), ("apiVersion", c_uint32))
InstanceInfo = info(("flags", c_uint32), ("application", c_void_p), ("layerCount", c_uint32), ("layers", c_void_p), ("extensionCount", c_uint32), ("extensions", c_void_p))
QueueFamily = structure("QueueFamily", ("flags", c_uint32), ("count", c_uint32), ("timestampBits", c_uint32), ("granularity", c_uint32 * 3))
QueueInfo = info(("flags", c_uint32), ("family", c_uint32), ("count", c_uint32), ("priorities", c_void_p))
DeviceInfo = info(("flags", c_uint32), ("queueCount", c_uint32), ("queues", c_void_p), ("layerCount", c_uint32), ("layers", c_void_p),
                  ("extensionCount", c_uint32), ("extensions", c_void_p), ("features", c_void_p))
BufferInfo = info(("flags", c_uint32), ("size", c_uint64), ("usage", c_uint32), ("sharing", c_uint32), ("familyCount", c_uint32), ("families", c_void_p))
Requirements = structure("Requirements", ("size", c_uint64), ("alignment", c_uint64), ("types", c_uint32))
MemoryType = structure("MemoryType", ("flags", c_uint32), ("heap", c_uint32))
MemoryHeap = structure("MemoryHeap", ("size", c_uint64), ("flags", c_uint32))
MemoryProperties = structure("MemoryProperties", ("typeCount", c_uint32), ("types", MemoryType * 32), ("heapCount", c_uint32), ("heaps", MemoryHeap * 16))
MemoryInfo = info(("size", c_uint64), ("type", c_uint32))
LayoutBinding = structure("LayoutBinding", ("binding", c_uint32), ("type", c_uint32), ("count", c_uint32), ("stages", c_uint32), ("samplers", c_void_p))
SetLayoutInfo = info(("flags", c_uint32), ("count", c_uint32), ("bindings", c_void_p))
PushRange = structure("PushRange", ("stages", c_uint32), ("offset", c_uint32), ("size", c_uint32))
PipelineLayoutInfo = info(("flags", c_uint32), ("setCount", c_uint32), ("sets", c_void_p), ("rangeCount", c_uint32), ("ranges", c_void_p))
ModuleInfo = info(("flags", c_uint32), ("size", ctypes.c_size_t), ("code", c_char_p))
StageInfo = info(("flags", c_uint32), ("stage", c_uint32), ("module", c_uint64), ("name", c_char_p), ("constants", c_void_p))
PipelineInfo = info(("flags", c_uint32), ("stage", StageInfo), ("layout", c_uint64), ("base", c_uint64), ("baseIndex", c_int32))
PoolSize = structure("PoolSize", ("type", c_uint32), ("count", c_uint32))
PoolInfo = info(("flags", c_uint32), ("sets", c_uint32), ("count", c_uint32), ("sizes", c_void_p))
SetInfo = info(("pool", c_uint64), ("count", c_uint32), ("layouts", c_void_p))
DescriptorBuffer = structure("DescriptorBuffer", ("buffer", c_uint64), ("offset", c_uint64), ("range", c_uint64))
DescriptorImage = structure("DescriptorImage", ("sampler", c_uint64), ("view", c_uint64), ("layout", c_uint32))
Write = info(("set", c_uint64), ("binding", c_uint32), ("element", c_uint32), ("count", c_uint32), ("type", c_uint32),
             ("image", c_void_p), ("buffer", c_void_p), ("texels", c_void_p))
CommandPoolInfo = info(("flags", c_uint32), ("family", c_uint32))
CommandInfo = info(("pool", c_uint64), ("level", c_uint32), ("count", c_uint32))
BeginInfo = info(("flags", c_uint32), ("inheritance", c_void_p))
Barrier = info(("source", c_uint32), ("destination", c_uint32))
SubmitInfo = info(("waitCount", c_uint32), ("waits", c_void_p), ("stages", c_void_p), ("count", c_uint32), ("commands", c_void_p), ("signalCount", c_uint32), ("signals", c_void_p))

TYPES = {"VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER": 6, "VK_DESCRIPTOR_TYPE_STORAGE_BUFFER": 7, "VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE": 2, "VK_DESCRIPTOR_TYPE_STORAGE_IMAGE": 3,
         "VK_DESCRIPTOR_TYPE_SAMPLER": 0}
USAGE = {6: 0x10, 7: 0x20}  # VkBufferUsageFlags, by type
WHOLE = c_uint64(2**64 - 1)
READ, GENERAL = 5, 1  # VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, for sampled images, and VK_IMAGE_LAYOUT_GENERAL, for those that are written
COMPUTE = 0x20  # VK_SHADER_STAGE_COMPUTE_BIT

# the structures of optional features: their types, how many members they have, and where those are that this program knows
FEATURES = {
    "VkPhysicalDeviceFeatures": (1000059000, 55, {"shaderFloat64": 39, "shaderInt64": 40, "shaderInt16": 41}),
    "VkPhysicalDevice16BitStorageFeatures": (1000083000, 4, {"storageBuffer16BitAccess": 0, "uniformAndStorageBuffer16BitAccess": 1}),
    "VkPhysicalDeviceShaderFloat16Int8Features": (1000082000, 2, {"shaderFloat16": 0, "shaderInt8": 1}),
    "VkPhysicalDevice8BitStorageFeatures": (1000177000, 3, {"storageBuffer8BitAccess": 0}),
}


def address(value):
    return cast(pointer(value), c_void_p)


def created(name, device, value):
    """What a function of Vulkan makes of a structure."""
    handle = c_uint64()
    call(name, device, byref(value), None, byref(handle))
    return handle


def chain(structures):
    """Structures of features, each of which leads to the next. The first is always VkPhysicalDeviceFeatures2."""
    made = {}
    for name in ["VkPhysicalDeviceFeatures", *structures]:
        if name not in FEATURES:
            sys.exit(f"this program does not know {name}")
        kind, count, _ = FEATURES[name]
        made.setdefault(name, info(("members", c_uint32 * count))(sType=kind))
    values = list(made.values())
    for one, behind in zip(values, values[1:]):
        one.pNext = address(behind)
    return made


def read(path):
    """A description of SPIR-V."""
    with open(path) as f:
        d = json.load(f)
    if d["version"] != 2 or d["target"] != "spirv":
        sys.exit(f"{path} describes no SPIR-V in version 2")
    return d


class Device:
    """The first device, with the features and extensions that a kernel needs."""

    def __init__(self, description):
        application = ApplicationInfo(sType=0, apiVersion=1 << 22 | 1 << 12)
        instance = c_void_p()
        call("vkCreateInstance", byref(InstanceInfo(sType=1, application=address(application))), None, byref(instance))
        count = c_uint32()
        call("vkEnumeratePhysicalDevices", instance, byref(count), None)
        if count.value == 0:
            sys.exit("there is no device for Vulkan")
        physical = (c_void_p * count.value)()
        call("vkEnumeratePhysicalDevices", instance, byref(count), physical)
        self.physical = c_void_p(physical[0])
        count = c_uint32(16)
        families = (QueueFamily * 16)()
        vk.vkGetPhysicalDeviceQueueFamilyProperties(self.physical, byref(count), families)
        self.family = next(n for n in range(count.value) if families[n].flags & 2)  # VK_QUEUE_COMPUTE_BIT
        queue = QueueInfo(sType=2, family=self.family, count=1, priorities=address(c_float(1)))
        wanted = description["vulkan"].get("features", [])
        has, enabled = (chain([w["structure"] for w in wanted]) for _ in range(2))
        vk.vkGetPhysicalDeviceFeatures2(self.physical, byref(has["VkPhysicalDeviceFeatures"]))
        for w in wanted:
            at = FEATURES[w["structure"]][2].get(w["member"])
            if at is None or not has[w["structure"]].members[at]:
                sys.exit(f"the device has no {w['member']}, or this program does not know it")
            enabled[w["structure"]].members[at] = 1
        names = [x["name"].encode() for x in description["vulkan"].get("extensions", [])]
        extensions = (c_char_p * len(names))(*names)
        self.handle = c_void_p()
        call("vkCreateDevice", self.physical, byref(DeviceInfo(sType=3, pNext=address(enabled["VkPhysicalDeviceFeatures"]), queueCount=1, queues=address(queue),
                                                               extensionCount=len(names), extensions=address(extensions))), None, byref(self.handle))
        self.queue = c_void_p()
        vk.vkGetDeviceQueue(self.handle, self.family, 0, byref(self.queue))

    def memory(self, needs, flags):
        """Memory of a kind that has flags."""
        memory = MemoryProperties()
        vk.vkGetPhysicalDeviceMemoryProperties(self.physical, byref(memory))
        kind = next(n for n in range(memory.typeCount) if needs.types >> n & 1 and memory.types[n].flags & flags == flags)
        return created("vkAllocateMemory", self.handle, MemoryInfo(sType=5, size=needs.size, type=kind))

    def buffer(self, size, usage):
        """A buffer, and its memory, which the host sees."""
        buffer = created("vkCreateBuffer", self.handle, BufferInfo(sType=12, size=size, usage=usage))
        needs = Requirements()
        vk.vkGetBufferMemoryRequirements(self.handle, buffer, byref(needs))
        block = self.memory(needs, 2 | 4)  # visible to the host, and coherent
        call("vkBindBufferMemory", self.handle, buffer, block, c_uint64(0))
        data = c_void_p()
        call("vkMapMemory", self.handle, block, c_uint64(0), WHOLE, 0, byref(data))
        return buffer, (ctypes.c_char * size).from_address(data.value)

    def submit(self, record):
        """Runs the commands that a function records."""
        commands = created("vkCreateCommandPool", self.handle, CommandPoolInfo(sType=39, family=self.family))
        command = c_void_p()
        call("vkAllocateCommandBuffers", self.handle, byref(CommandInfo(sType=40, pool=commands, count=1)), byref(command))
        call("vkBeginCommandBuffer", command, byref(BeginInfo(sType=42)))
        record(command)
        call("vkEndCommandBuffer", command)
        call("vkQueueSubmit", self.queue, 1, byref(SubmitInfo(sType=4, count=1, commands=address(command))), c_uint64(0))
        call("vkQueueWaitIdle", self.queue)


class Kernel:
    def __init__(self, device, description):
        self.description = d = description
        with open(d["code"]["file"], "rb") as f:
            code = f.read()
        if hashlib.sha256(code).hexdigest() != d["code"]["sha256"]:
            sys.exit(f"{d['code']['file']} is not the code that is described")
        if d["vulkan"].get("subgroupOperations"):
            sys.exit(f"this program does not ask the device for {d['vulkan']['subgroupOperations']}")
        self.device = device
        slots = (LayoutBinding * len(d["vulkan"]["descriptors"]))()
        for slot, x in zip(slots, d["vulkan"]["descriptors"]):
            if x["set"] != 0 or x["type"] not in TYPES:
                sys.exit(f"this program has descriptor set 0 only, and not {x}")
            slot.binding, slot.type, slot.count, slot.stages = x["binding"], TYPES[x["type"]], 1, COMPUTE
        self.slots = slots
        self.sets = created("vkCreateDescriptorSetLayout", device.handle, SetLayoutInfo(sType=32, count=len(slots), bindings=address(slots)))
        self.constants = d["vulkan"].get("pushConstants", {"offset": 0, "size": 0})
        constants = PushRange(COMPUTE, self.constants["offset"], self.constants["size"])
        self.layout = created("vkCreatePipelineLayout", device.handle, PipelineLayoutInfo(sType=30, setCount=1, sets=address(self.sets),
                                                                                          rangeCount=bool(constants.size), ranges=address(constants)))
        module = created("vkCreateShaderModule", device.handle, ModuleInfo(sType=16, size=len(code), code=code))
        stage = StageInfo(sType=18, stage=COMPUTE, module=module, name=d["name"].encode())
        self.pipeline = c_uint64()
        call("vkCreateComputePipelines", device.handle, c_uint64(0), 1, byref(PipelineInfo(sType=29, stage=stage, layout=self.layout, baseIndex=-1)), None, byref(self.pipeline))

    def run(self, invocations, contents, handles={}, constants=b""):
        """Runs the kernel on the contents of its buffers and on views of textures and samplers, by name, and returns what the buffers hold then."""
        device, bindings = self.device, self.description["bindings"]
        if len(constants) != self.constants["size"]:
            sys.exit(f"the kernel takes {self.constants['size']} bytes of push constants")
        sizes = (PoolSize * len(TYPES))(*[PoolSize(kind, len(self.slots)) for kind in TYPES.values()])
        pool = created("vkCreateDescriptorPool", device.handle, PoolInfo(sType=33, sets=1, count=len(sizes), sizes=address(sizes)))
        descriptors = c_uint64()
        call("vkAllocateDescriptorSets", device.handle, byref(SetInfo(sType=34, pool=pool, count=1, layouts=address(self.sets))), byref(descriptors))
        memory = {}
        for slot, binding in zip(self.slots, bindings):
            data = contents[binding["name"]]
            if len(data) < binding["size"] + binding.get("stride", 0):
                sys.exit(f"{binding['name']} takes {binding['size']} bytes and elements of {binding.get('stride', 0)}")
            buffer, memory[binding["name"]] = device.buffer(len(data), USAGE[slot.type])
            memory[binding["name"]][:] = data
            whole = DescriptorBuffer(buffer, 0, WHOLE)
            vk.vkUpdateDescriptorSets(device.handle, 1, byref(Write(sType=35, set=descriptors, binding=slot.binding, count=1, type=slot.type, buffer=address(whole))), 0, None)
        for slot, handle in zip(self.slots[len(bindings):], self.description.get("handles", [])):
            given = handles[handle["name"]]
            image = DescriptorImage(given, 0, 0) if slot.type == 0 else DescriptorImage(0, given, GENERAL if slot.type == 3 else READ)
            vk.vkUpdateDescriptorSets(device.handle, 1, byref(Write(sType=35, set=descriptors, binding=slot.binding, count=1, type=slot.type, image=address(image))), 0, None)
        groups = [-(-n // size) for n, size in zip(invocations, self.description["workgroup"])]

        def launch(command):
            vk.vkCmdBindPipeline(command, 1, self.pipeline)
            vk.vkCmdBindDescriptorSets(command, 1, self.layout, 0, 1, byref(descriptors), 0, None)
            if constants:
                vk.vkCmdPushConstants(command, self.layout, COMPUTE, self.constants["offset"], len(constants), constants)
            vk.vkCmdDispatch(command, *groups)
            visible = Barrier(sType=46, source=0x40, destination=0x2000)  # shader writes, host reads
            vk.vkCmdPipelineBarrier(command, 0x800, 0x4000, 0, 1, byref(visible), 0, None, 0, None)

        device.submit(launch)
        return {name: bytes(data) for name, data in memory.items()}


def main():
    count = 1000
    description = read("saxpy.json")
    kernel = Kernel(Device(description), description)
    results = kernel.run((count, 1, 1), {
        "parameters": struct.pack("<fI", 2, count),
        "x": struct.pack(f"<{count}f", *range(count)),
        "y": struct.pack(f"<{count}f", *[1] * count),
    })
    y = struct.unpack(f"<{count}f", results["y"])
    if list(y) != [2 * i + 1 for i in range(count)]:
        sys.exit(f"y is {y}")
    print(f"y[{count - 1}] = {y[-1]:g}")


if __name__ == "__main__":
    main()
