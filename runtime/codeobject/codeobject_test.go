//go:build !nodrivers && linux && amd64

package codeobject

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/standin"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
)

// text is a kernel that does nothing, for a version of code objects.
func text(version string) []byte {
	return []byte("target triple = \"amdgcn-amd-amdhsa\"\ndefine protected amdgpu_kernel void @k() {\n  ret void\n}\n" +
		"!llvm.module.flags = !{!0}\n!0 = !{i32 1, !\"amdhsa_code_object_version\", i32 " + version + "}\n")
}

func artefact(processor, version string) *abi.Artefact {
	return &abi.Artefact{Target: abi.AMDGPU, Code: text(version), Kernel: abi.Kernel{Name: "k", Profile: processor}}
}

// without is a maker that finds no library.
func without() *maker { return &maker{comgrLibrary{names: []string{"libgpuc-absent.so"}}} }

// expectError wants an error with these words.
func expectError(t *testing.T, what string, err error, words ...string) {
	t.Helper()
	for _, word := range words {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v, want %q", what, err, word)
		}
	}
}

func TestTools(t *testing.T) {
	if _, err := exec.LookPath("clang-19"); err != nil {
		t.Skip("skipped: there is no clang-19 (Debian: clang-19)")
	}
	object, err := without().make(artefact("gfx1100", "500"))
	if err != nil || !Is(object) || object[8] != 3 {
		t.Errorf("an object of %d bytes, %v", len(object), err)
	}
	if object, err = without().make(artefact("gfx11-generic", "600")); err != nil || object[8] != 4 {
		t.Errorf("for a generic processor: %v", err)
	}
	_, err = without().make(artefact("gfx0", "500"))
	expectError(t, "an unknown processor", err, "cannot make a code object for gfx0", "gfx0")
}

// TestNoTool: what neither the library nor a tool makes is said with what would.
func TestNoTool(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := without().make(artefact("gfx1100", "500"))
	want := "a code object for gfx1100 takes libamd_comgr of ROCm, or on the PATH clang-19, or llc-19 and ld.lld-19, and none is there"
	if !errors.Is(err, ErrNoTool) || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	wrong := &maker{comgrLibrary{names: []string{"libc.so.6"}}}
	_, err = wrong.make(artefact("gfx1100", "500"))
	expectError(t, "a library without the functions", err, "amd_comgr_get_version is missing", "clang-19")
}

// TestToolsThatFail: a tool that says anything, and one that makes something else, are errors, and
// the next is tried.
func TestToolsThatFail(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", folder)
	write := func(name, script string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const last = "for out; do :; done\n"
	write("clang-19", "echo as asked >&2")
	_, err := without().make(artefact("gfx1100", "500"))
	expectError(t, "a tool that complains", err, "clang-19 cannot make a code object for gfx1100: as asked")
	write("clang-19", last+"echo nothing > $out")
	_, err = without().make(artefact("gfx1100", "500"))
	expectError(t, "a tool that makes something else", err, "clang-19 cannot make", "no code object")
	// the head of an object of version 4, in two parts of 32 bytes
	write("clang-19", last+`printf '\177ELF\2\1\1\100\2\0\0\0\0\0\0\0\3\0\340\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' > $out`)
	_, err = without().make(artefact("gfx1100", "500"))
	expectError(t, "another version", err, "a code object of version 4, and the code is for 5")
	if _, err := without().make(artefact("gfx1100", "400")); err != nil {
		t.Error(err)
	}
}

// TestProcessorOfText: a description of another processor than the text's is refused before
// anything compiles it.
func TestProcessorOfText(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	a := artefact("gfx1030", "500")
	a.Code = append(a.Code, "attributes #0 = { \"target-cpu\"=\"gfx1030\" }\nattributes #1 = { nounwind \"target-cpu\"=\"gfx1151\" }\n"...)
	_, err := Make(a)
	if want := "the code is for gfx1151, and its description says gfx1030"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := checkProcessor([]byte("target-cpu"), "gfx1030"); err != nil {
		t.Error(err)
	}
}

func TestVersionOf(t *testing.T) {
	for version, want := range map[string]int{"400": 4, "500": 5, "600": 6, "": 0} {
		if got := versionOf(text(version)); got != want {
			t.Errorf("%q is version %d, want %d", version, got, want)
		}
	}
	if got := versionOf([]byte("no word")); got != 5 {
		t.Errorf("without a word it is %d", got)
	}
}

// TestComgrVersions calls a fake of comgr, in its versions.
func TestComgrVersions(t *testing.T) {
	if standin.Compiler() == "" {
		t.Skip("skipped: there is no " + standin.Missing)
	}
	var shim struct {
		Set        uintptr `c:"comgr_set"`
		Complaints uintptr `c:"comgr_complaints"`
	}
	file, err := standin.Load("testdata/comgr.c", &shim)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	for _, c := range []struct {
		name                 string
		major, fail, nothing uintptr
		processor, want      string
	}{
		{"version 3", 3, 0, 0, "gfx1100", ""},
		{"version 2", 2, 0, 0, "gfx1100", ""},
		{"version 4", 4, 0, 0, "gfx1100", "libamd_comgr 4.1 is of no major version that gpuc knows: 2 or 3"},
		{"an unknown processor", 3, 0, 0, "gfx1101", "libamd_comgr 3.1 cannot make a code object for gfx1101: it does not know the processor"},
		{"code that is not generated", 3, 1, 0, "gfx1100", "generate code: ERROR: error: as asked"},
		{"code that is not linked", 2, 2, 0, "gfx1100", "link: ERROR: error: as asked"},
		{"nothing", 3, 0, 1, "gfx1100", "nothing came out"},
	} {
		dl.Call(shim.Set, c.major, c.fail, c.nothing)
		object, err := (&maker{comgrLibrary{names: []string{file}}}).make(artefact(c.processor, "500"))
		switch {
		case c.want != "":
			expectError(t, c.name, err, c.want, "none is there")
		case err != nil || len(object) != 64:
			t.Errorf("%s: %d bytes, %v", c.name, len(object), err)
		}
		if text := dl.GoString(dl.Call(shim.Complaints)); text != "" {
			t.Fatalf("%s: the library complains:\n%s", c.name, text)
		}
	}
}

// TestComgr has the machine's library make objects, and find what is wrong.
func TestComgr(t *testing.T) {
	if Comgr() == "" {
		t.Skip("skipped: there is no libamd_comgr (Debian: libamd-comgr2)")
	}
	t.Setenv("PATH", t.TempDir())
	t.Log(Comgr())
	for _, processor := range []string{"gfx90a", "gfx1030"} {
		object, err := Make(artefact(processor, "500"))
		if err != nil || !Is(object) || object[8] != 3 {
			t.Errorf("%s: %d bytes, %v", processor, len(object), err)
		}
	}
	_, err := Make(artefact("gfx0", "500"))
	expectError(t, "an unknown processor", err, "cannot make a code object for gfx0: it does not know the processor")
	a := artefact("gfx90a", "500")
	a.Code = append(a.Code, "nonsense"...)
	_, err = Make(a)
	expectError(t, "text that is wrong", err, "kernel.ll:7", "error:")
}
