package all_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/runtime/jit"
)

// programsIn are the paths of the files of a pattern, of which there are some.
func programsIn(t testing.TB, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no programs %s: %v", pattern, err)
	}
	return paths
}

// execKernels are the paths of the exec kernels.
func execKernels(t testing.TB) []string {
	t.Helper()
	return programsIn(t, "../../testdata/exec/*.wgsl")
}

// kernelFiles are the paths of the exec kernels and those of the bench.
func kernelFiles(t testing.TB) []string {
	t.Helper()
	return append(execKernels(t), programsIn(t, "../../testdata/benchmarks/gpu/*.wgsl")...)
}

// textOfFile reads a file.
func textOfFile(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// loaded makes a module of a program. The extension of the name says the language.
func loaded(t testing.TB, name, text string) *ir.Module {
	return loadedWith(t, name, text, codegen.Options{})
}

// loadedWith is loaded with options, of which the arithmetic matters to front ends.
func loadedWith(t testing.TB, name, text string, o codegen.Options) *ir.Module {
	t.Helper()
	p, err := jit.Parse(filepath.Base(name), text, o)
	if err != nil {
		t.Fatal(name, err)
	}
	return p.Module()
}

// loadedFile makes a module of the program in a file.
func loadedFile(t testing.TB, path string) *ir.Module {
	t.Helper()
	return loaded(t, path, textOfFile(t, path))
}
