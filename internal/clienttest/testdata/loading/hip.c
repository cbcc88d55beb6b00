/* A library that stands in for HIP, for the program of examples/loading: that of the driver's tests, which judges how it is called and reads what a
   kernel takes from its code object, with what the program uses beside it and one kernel, written down here once more: y[i] += a * x[i] for i
   below count. Whatever it complains of ends the program. */
#include "../../../../runtime/driver/rocm/testdata/shim.c"
#include <unistd.h>

static void fail(const char *what) {
	fprintf(stderr, "stand-in for HIP: %s\n", what);
	_exit(3);
}

/* argument returns where the memory is that a parameter has the address of, and how many bytes are behind it. */
static void *argument(const Run *r, unsigned n, size_t *bytes) {
	uint64_t address;
	memcpy(&address, r->segment + r->arguments[n].offset, sizeof address);
	*bytes = r->arguments[n].base + r->arguments[n].bytes - address;
	return (void *)address;
}

/* run executes launches of the kernel, whose parameters are three addresses and two lengths. */
static int run(Run *runs, int count, char *message, int room) {
	for (Run *r = runs; r < runs + count; r++) {
		size_t bytes[3];
		void *memory[3];
		uint32_t length[2];
		struct { float a; uint32_t count; } values;
		for (unsigned n = 0; n < 5; n++) {
			if (r->count != 5 || !r->arguments[n].bytes != (n >= 3)) {
				snprintf(message, room, "the kernel takes other arguments than three addresses and two lengths");
				return 1;
			}
		}
		for (unsigned n = 0; n < 3; n++) { memory[n] = argument(r, n, &bytes[n]); }
		for (unsigned n = 0; n < 2; n++) { memcpy(&length[n], r->segment + r->arguments[3 + n].offset, sizeof length[n]); }
		memcpy(&values, memory[0], sizeof values);
		if (bytes[0] != sizeof values || bytes[1] != 4 * (size_t)length[0] || bytes[2] != 4 * (size_t)length[1]) {
			snprintf(message, room, "a length is not that of the buffer");
			return 1;
		}
		if (values.count > length[0] || values.count > length[1] || values.count > r->grid[0] * r->block[0] || r->block[0] != 64) {
			snprintf(message, room, "the launch does not cover the elements by workgroups of 64");
			return 1;
		}
		for (uint32_t i = 0; i < values.count; i++) { ((float *)memory[2])[i] += values.a * ((float *)memory[1])[i]; }
	}
	return 0;
}

int hipStreamSynchronize(Stream *given) {
	WORKING;
	HANDLE(Stream, s, given, stream_kind);
	execute(s, NULL);
	return lost;
}

__attribute__((constructor)) static void begin(void) {
	hip_set("pools", 0); /* whose memory is that of hipMalloc */
	hip_run(run);
}

__attribute__((destructor)) static void end(void) {
	const char *text = hip_complaints();
	if (*text) { fail(text); }
	text = hip_live();
	if (*text) { fprintf(stderr, "not given back: "); fail(text); }
}
