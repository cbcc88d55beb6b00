// A fake of the part of libcuda that compiles PTX: it checks how it is called, and its cubins are
// "cubin of " and the text.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
	char *log;
	char *cubin;
	size_t size;
} linker;

static int live, fail;
static char complaints[4096];

static void complain(const char *text) {
	strncat(complaints, text, sizeof complaints - strlen(complaints) - 2);
	strcat(complaints, "\n");
}

// linker_set has the n-th of create, add, complete and load fail; 0 for none.
void linker_set(int n) { fail = n; }
const char *linker_complaints(void) { return complaints; }
int linker_live(void) { return live; }

// options checks the options of the compiler, and returns the log of errors.
static char *options(unsigned n, const int *names, void **values) {
	static const int want[] = {3, 4, 5, 6, 13}; // CUjit_option
	if (n != 5 || memcmp(names, want, sizeof want) != 0 || !values[0] || !values[2]) {
		complain("the options are others");
		exit(1);
	}
	if ((size_t)values[1] != 16384 || (size_t)values[3] != 16384 || (size_t)values[4] != 1)
		complain("the values of options are others");
	memset(values[0], 'i', 16383);
	return values[2];
}

int cuLinkCreate_v2(unsigned n, const int *names, void **values, linker **state) {
	if (fail == 1)
		return 1;
	*state = calloc(1, sizeof **state);
	(*state)->log = options(n, names, values);
	live++;
	return 0;
}

int cuLinkAddData_v2(linker *state, int kind, const void *data, size_t size, const char *name, unsigned n, const int *names, void **values) {
	if (kind != 1 || name || n || names || values)
		complain("the arguments of cuLinkAddData are others");
	if (size < 1 || ((const char *)data)[size - 1] != 0 || strlen(data) != size - 1)
		complain("the text does not end where it should");
	if (fail == 2) {
		strcpy(state->log, "line 7: as asked");
		return 218;
	}
	free(state->cubin);
	state->cubin = malloc(size + 9);
	state->size = sprintf(state->cubin, "cubin of %s", (const char *)data);
	return 0;
}

int cuLinkComplete(linker *state, void **cubin, size_t *size) {
	if (fail == 3)
		return 1;
	strcpy(state->log, "the log is there until the end");
	*cubin = state->cubin;
	*size = state->size;
	return 0;
}

int cuLinkDestroy(linker *state) {
	if (state->log)
		state->log[0] = 0;
	if (state->cubin)
		memset(state->cubin, 'x', state->size);
	free(state->cubin);
	free(state);
	live--;
	return 0;
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned n, const int *names, void **values) {
	char *log = options(n, names, values);
	if (fail == 4) {
		strcpy(log, "line 9: as asked");
		return 218;
	}
	*module = (void *)strlen(image);
	return 0;
}
