/* A library that stands in for CUDA's driver, for the programs of examples/loading: it judges how it is called, and knows one kernel.
   Device memory is memory of the host that is filled with another byte than zero. What the kernel is passed is read by the declaration
   of its entry in PTX, and what it does is written down here once more: y[i] += a * x[i] for i below count. Anything else ends the program. */
#include "cuda.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 16 };

static struct {
	int started, current, retained, loaded;
	void *block[BLOCKS];
	size_t size[BLOCKS];
	char text[1 << 16];
} state;

static void fail(const char *what) {
	fprintf(stderr, "stand-in for CUDA: %s\n", what);
	exit(3);
}

static void must(int condition, const char *what) {
	if (!condition) {
		fail(what);
	}
}

CUresult cuInit(unsigned flags) {
	state.started = flags == 0;
	return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult result, const char **name) {
	*name = result == CUDA_SUCCESS ? "CUDA_SUCCESS" : "CUDA_ERROR_INVALID_VALUE";
	return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
	must(state.started && ordinal == 0, "there is one device, once CUDA is started");
	*device = 7;
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
	must(device == 7, "another device is opened");
	state.retained++;
	*context = (CUcontext)&state;
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
	must(device == 7 && state.retained == 1 && !state.loaded, "the device is closed twice, or before its module");
	for (int n = 0; n < BLOCKS; n++) {
		must(state.block[n] == NULL, "memory is not freed");
	}
	state.retained--;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
	must(context == (CUcontext)&state, "another context is made current");
	state.current = 1;
	return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
	must(state.current, "no context is current");
	size_t length = strlen(image);
	must(length < sizeof state.text && strstr(image, ".version ") && strstr(image, ".target sm_"), "the image is no PTX");
	memcpy(state.text, image, length + 1);
	state.loaded = 1;
	*module = (CUmodule)state.text;
	return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
	must(module == (CUmodule)state.text && state.loaded, "another module is unloaded");
	state.loaded = 0;
	return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
	char entry[256];
	must(module == (CUmodule)state.text && state.loaded, "there is no such module");
	snprintf(entry, sizeof entry, ".entry %s(", name);
	char *at = strstr(state.text, entry);
	if (at == NULL) {
		return CUDA_ERROR_INVALID_VALUE;
	}
	*function = (CUfunction)at;
	return CUDA_SUCCESS;
}

/* block finds the memory that an address lies in, with so many bytes behind it. */
static int block(CUdeviceptr address, size_t bytes) {
	for (int n = 0; n < BLOCKS; n++) {
		CUdeviceptr start = (CUdeviceptr)(uintptr_t)state.block[n];
		if (state.block[n] && start <= address && address + bytes <= start + state.size[n]) {
			return n;
		}
	}
	fail("an address lies in no memory");
	return 0;
}

CUresult cuMemAlloc(CUdeviceptr *memory, size_t bytes) {
	must(state.current && bytes > 0, "memory is allocated without a context, or none");
	int n = 0;
	while (n < BLOCKS && state.block[n]) {
		n++;
	}
	must(n < BLOCKS, "too many buffers");
	state.size[n] = bytes;
	state.block[n] = aligned_alloc(256, (bytes + 255) / 256 * 256);
	memset(state.block[n], 0xA5, bytes);
	*memory = (CUdeviceptr)(uintptr_t)state.block[n];
	return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr memory) {
	int n = block(memory, 1);
	must(memory == (CUdeviceptr)(uintptr_t)state.block[n], "what is freed was not allocated");
	free(state.block[n]);
	state.block[n] = NULL;
	return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
	block(to, bytes);
	memcpy((void *)(uintptr_t)to, from, bytes);
	return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
	block(from, bytes);
	memcpy(to, (void *)(uintptr_t)from, bytes);
	return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ,
	unsigned sharedBytes, CUstream stream, void **parameters, void **extra) {
	unsigned x = 0, y = 0, z = 0;
	const char *text = (const char *)function, *end = strstr(text, "\n)"), *required = strstr(text, ".reqntid ");
	must(end && required && sscanf(required, ".reqntid %u, %u, %u", &x, &y, &z) == 3, "the entry is no kernel of gpuc's");
	must(blockX == x && blockY == y && blockZ == z, "the block is not the workgroup that the code declares");
	must(gridY == 1 && gridZ == 1 && sharedBytes == 0 && stream == NULL && extra == NULL, "the launch is another than that of this kernel");
	CUdeviceptr address[3] = {0, 0, 0};
	uint32_t length[3] = {0, 0, 0};
	int count = 0;
	for (const char *at = strstr(text, ".param "); at && at < end; at = strstr(at + 1, ".param "), count++) {
		const char *line = strchr(at, '\n');
		const char *name = strstr(at, " binding_");
		unsigned n = 0;
		if (name && name < line) {
			must(sscanf(name, " binding_%u", &n) == 1 && n < 3, "an address of another binding");
			address[n] = *(uint64_t *)parameters[count];
			must(address[n] % 16 == 0, "an address is no multiple of 16");
		} else {
			name = strstr(at, " length_");
			must(name && name < line && sscanf(name, " length_%u", &n) == 1 && n < 3, "a parameter of another kind");
			length[n] = *(uint32_t *)parameters[count];
		}
	}
	struct { float a; uint32_t count; } values;
	block(address[0], sizeof values);
	memcpy(&values, (void *)(uintptr_t)address[0], sizeof values);
	for (int n = 1; n < 3; n++) {
		must(state.size[block(address[n], 4 * length[n])] == 4 * length[n], "a length is not that of the buffer");
	}
	must(values.count <= length[1] && values.count <= length[2] && values.count <= gridX * blockX, "the launch does not cover the elements");
	float *to = (float *)(uintptr_t)address[2], *from = (float *)(uintptr_t)address[1];
	for (uint32_t i = 0; i < values.count; i++) {
		to[i] += values.a * from[i];
	}
	return CUDA_SUCCESS;
}
