// CUDA from C: saxpy.ptx, through the driver API.
//
//   $ cc -std=c11 -o saxpy_cuda saxpy_cuda.c -lcuda
//   $ ./saxpy_cuda
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include "saxpy.h"

enum { COUNT = 1000 };

static void check(CUresult result, const char *what) {
	if (result != CUDA_SUCCESS) {
		const char *name = "?";
		cuGetErrorName(result, &name);
		fprintf(stderr, "%s: %s\n", what, name);
		exit(1);
	}
}

static char *read_code(void) {
	static char text[saxpy_main_PTX_FILE_BYTES + 1]; // which ends with a zero
	FILE *f = fopen(saxpy_main_PTX_FILE, "rb");
	if (!f || fread(text, 1, saxpy_main_PTX_FILE_BYTES, f) != saxpy_main_PTX_FILE_BYTES) {
		fprintf(stderr, "cannot read %s\n", saxpy_main_PTX_FILE);
		exit(1);
	}
	fclose(f);
	return text;
}

int main(void) {
	check(cuInit(0), "start CUDA");
	CUdevice device;
	check(cuDeviceGet(&device, 0), "find a device");
	CUcontext context;
	check(cuDevicePrimaryCtxRetain(&context, device), "open the device");
	check(cuCtxSetCurrent(context), "use the device");
	CUmodule module;
	check(cuModuleLoadData(&module, read_code()), "load the code");
	CUfunction function;
	check(cuModuleGetFunction(&function, module, saxpy_main_PTX_NAME), "find the entry point");

	static float x[COUNT], y[COUNT];
	for (int i = 0; i < COUNT; i++) {
		x[i] = i;
		y[i] = 1;
	}
	saxpy_Parameters parameters = {.a = 2, .count = COUNT};
	CUdeviceptr parameters_memory, x_memory, y_memory; // cuMemAlloc aligns to more than saxpy_main_PTX_ALIGNMENT
	check(cuMemAlloc(&parameters_memory, sizeof parameters), "allocate memory");
	check(cuMemAlloc(&x_memory, sizeof x), "allocate memory");
	check(cuMemAlloc(&y_memory, sizeof y), "allocate memory");
	check(cuMemcpyHtoD(parameters_memory, &parameters, sizeof parameters), "write the parameters");
	check(cuMemcpyHtoD(x_memory, x, sizeof x), "write x");
	check(cuMemcpyHtoD(y_memory, y, sizeof y), "write y");

	uint32_t length = COUNT; // of x and of y
	void *arguments[saxpy_main_PTX_PARAMETERS];
	arguments[saxpy_main_PTX_parameters_ADDRESS] = &parameters_memory;
	arguments[saxpy_main_PTX_x_ADDRESS] = &x_memory;
	arguments[saxpy_main_PTX_y_ADDRESS] = &y_memory;
	arguments[saxpy_main_PTX_x_LENGTH] = &length;
	arguments[saxpy_main_PTX_y_LENGTH] = &length;
	unsigned groups = (COUNT + saxpy_main_WORKGROUP_X - 1) / saxpy_main_WORKGROUP_X;
	check(cuLaunchKernel(function, groups, 1, 1, saxpy_main_WORKGROUP_X, saxpy_main_WORKGROUP_Y, saxpy_main_WORKGROUP_Z, 0, NULL, arguments, NULL), "launch");
	check(cuMemcpyDtoH(y, y_memory, sizeof y), "read y");

	for (int i = 0; i < COUNT; i++) {
		if (y[i] != 2 * i + 1) {
			fprintf(stderr, "y[%d] is %g\n", i, y[i]);
			return 1;
		}
	}
	printf("y[%d] = %g\n", COUNT - 1, y[COUNT - 1]);
	check(cuMemFree(parameters_memory), "free memory");
	check(cuMemFree(x_memory), "free memory");
	check(cuMemFree(y_memory), "free memory");
	check(cuModuleUnload(module), "unload the code");
	check(cuDevicePrimaryCtxRelease(device), "close the device");
	return 0;
}
