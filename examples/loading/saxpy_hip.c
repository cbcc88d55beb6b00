// HIP from C: a code object for one AMD processor, here gfx90a (MI210, MI250).
//
//   $ gpuc build -target amdgpu:gfx90a -lang c -o saxpy_amd.hsaco saxpy.wgsl
//   $ cc -std=c11 -D__HIP_PLATFORM_AMD__ -o saxpy_hip saxpy_hip.c -lamdhip64
//   $ ./saxpy_hip
#include <hip/hip_runtime_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "saxpy_amd.h"

enum { COUNT = 1000 };

static void check(hipError_t result, const char *what) {
	if (result != hipSuccess) {
		fprintf(stderr, "%s: %s\n", what, hipGetErrorName(result));
		exit(1);
	}
}

static char *read_code(void) {
	static char code[saxpy_amd_main_AMDGPU_FILE_BYTES]; // which HIP may use for as long as the module is loaded
	FILE *f = fopen(saxpy_amd_main_AMDGPU_FILE, "rb");
	if (!f || fread(code, 1, sizeof code, f) != sizeof code) {
		fprintf(stderr, "cannot read %s\n", saxpy_amd_main_AMDGPU_FILE);
		exit(1);
	}
	fclose(f);
	return code;
}

int main(void) {
	check(hipInit(0), "start HIP");
	check(hipSetDevice(0), "use the first device");
	hipModule_t module;
	check(hipModuleLoadData(&module, read_code()), "load the code");
	hipFunction_t function;
	check(hipModuleGetFunction(&function, module, saxpy_amd_main_AMDGPU_NAME), "find the entry point");
	hipStream_t stream;
	check(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), "create a stream");

	static float x[COUNT], y[COUNT];
	for (int i = 0; i < COUNT; i++) {
		x[i] = i;
		y[i] = 1;
	}
	saxpy_amd_Parameters parameters = {.a = 2, .count = COUNT};
	void *parameters_memory, *x_memory, *y_memory; // hipMalloc aligns to more than saxpy_amd_main_AMDGPU_ALIGNMENT
	check(hipMalloc(&parameters_memory, sizeof parameters), "allocate memory");
	check(hipMalloc(&x_memory, sizeof x), "allocate memory");
	check(hipMalloc(&y_memory, sizeof y), "allocate memory");
	check(hipMemcpyHtoDAsync(parameters_memory, &parameters, sizeof parameters, stream), "write the parameters");
	check(hipMemcpyHtoDAsync(x_memory, x, sizeof x, stream), "write x");
	check(hipMemcpyHtoDAsync(y_memory, y, sizeof y, stream), "write y");

	uint32_t length = COUNT; // of x and of y
	void *arguments[saxpy_amd_main_AMDGPU_PARAMETERS];
	arguments[saxpy_amd_main_AMDGPU_parameters_ADDRESS] = &parameters_memory;
	arguments[saxpy_amd_main_AMDGPU_x_ADDRESS] = &x_memory;
	arguments[saxpy_amd_main_AMDGPU_y_ADDRESS] = &y_memory;
	arguments[saxpy_amd_main_AMDGPU_x_LENGTH] = &length;
	arguments[saxpy_amd_main_AMDGPU_y_LENGTH] = &length;
	unsigned groups = (COUNT + saxpy_amd_main_WORKGROUP_X - 1) / saxpy_amd_main_WORKGROUP_X;
	check(hipModuleLaunchKernel(function, groups, 1, 1, saxpy_amd_main_WORKGROUP_X, saxpy_amd_main_WORKGROUP_Y, saxpy_amd_main_WORKGROUP_Z, 0, stream, arguments, NULL), "launch");
	check(hipMemcpyDtoHAsync(y, y_memory, sizeof y, stream), "read y");
	check(hipStreamSynchronize(stream), "wait");

	for (int i = 0; i < COUNT; i++) {
		if (y[i] != 2 * i + 1) {
			fprintf(stderr, "y[%d] is %g\n", i, y[i]);
			return 1;
		}
	}
	printf("y[%d] = %g\n", COUNT - 1, y[COUNT - 1]);
	check(hipFree(parameters_memory), "free memory");
	check(hipFree(x_memory), "free memory");
	check(hipFree(y_memory), "free memory");
	check(hipStreamDestroy(stream), "destroy the stream");
	check(hipModuleUnload(module), "unload the code");
	return 0;
}
