package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/builder"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/targetflag"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/abi"
)

// settingsOf returns -D flags for the overrides of an exec kernel, with values of its test cases.
func settingsOf(file string) (flags []string) {
	given := map[string]bool{}
	for _, c := range exectest.Cases() {
		if c.Name+".wgsl" != file {
			continue
		}
		for _, d := range c.Dispatches {
			for _, o := range d.Overrides {
				if !given[o.Name] {
					given[o.Name] = true
					flags = append(flags, "-D", fmt.Sprintf("%s=%v", o.Name, o.Value))
				}
			}
		}
	}
	return flags
}

// build runs gpuc build.
func build(arguments []string, more ...string) (stdout, stderr string, code int) {
	return execute(slices.Concat([]string{"build"}, arguments, more)...)
}

// filesIn returns the contents of the files of a folder by their names.
func filesIn(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(folder, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestBuildAll compares builds of all exec kernels for all targets with builds for each target:
// code, descriptions and refusals. Without LLVM on the PATH, the code for AMD is text in both.
func TestBuildAll(t *testing.T) {
	sources, err := filepath.Glob("../../testdata/exec/*.wgsl")
	if err != nil || len(sources) < 100 {
		t.Fatalf("%d kernels: %v", len(sources), err)
	}
	t.Setenv("PATH", t.TempDir())
	compared, refused := 0, 0
	for n, source := range sources {
		if !testmode.Sampled(n, 12) {
			continue
		}
		settings := settingsOf(filepath.Base(source))
		folder := t.TempDir() + "/"
		_, said, code := build(settings, "-target", targetflag.All, "-o", folder, source)
		if code != cli.ExitOK {
			t.Errorf("%s ends with %d and says %s", source, code, said)
			continue
		}
		b := buildOfAll{source: source, files: filesIn(t, folder)}
		base := strings.TrimSuffix(filepath.Base(source), ".wgsl")
		if b.manifest, err = abi.UnmarshalManifest(b.files[base+builder.ManifestExtension]); err != nil {
			t.Fatal(err)
		}
		same := 0
		for _, target := range all.Targets {
			artefacts, refusals := b.compare(t, target, settings)
			same, refused = same+artefacts, refused+refusals
		}
		if compared += same; same != len(b.files)-2 { // without the manifest and the header
			t.Errorf("%s: there are %d files, and %d of code that a target alone writes", source, len(b.files), same)
		}
		if _, _, code := build(settings, "-target", targetflag.All, "-o", folder, source); code != cli.ExitOK || !reflect.DeepEqual(filesIn(t, folder), b.files) {
			t.Errorf("%s: a second build ends with %d, or gives other bytes", source, code)
		}
	}
	t.Logf("%d artefacts, %d refusals", compared, refused)
	if testmode.IsWhole() && (compared < 600 || refused < 20) {
		t.Errorf("%d artefacts and %d refusals are compared", compared, refused)
	}
}

// buildOfAll is what a build of a source for all targets writes.
type buildOfAll struct {
	source   string
	files    map[string][]byte
	manifest *abi.Manifest
}

// compare builds the source for one target, and returns how many artefacts are the same and how
// many kernels are refused.
func (b *buildOfAll) compare(t *testing.T, target *codegen.Target, settings []string) (same, refused int) {
	t.Helper()
	folder := t.TempDir() + "/"
	arguments := append(settings, "-target", string(target.Name), "-o", folder, b.source)
	if target.Object != nil {
		arguments = append(arguments, "-S")
	}
	_, said, code := build(arguments)
	single := filesIn(t, folder)
	for n := range b.manifest.Kernels {
		k := &b.manifest.Kernels[n]
		artefact, description := k.For(target.Name)
		if code != cli.ExitOK {
			refused++
			if len(single) > 0 {
				t.Errorf("%s for %s is refused, and there are files: %v", b.source, target.Name, single)
			}
			checkMissing(t, b.source, target.Name, len(b.manifest.Kernels), k, said)
			continue
		}
		if artefact == nil || !bytes.Equal(b.files[artefact.File], single[artefact.File]) || len(single[artefact.File]) == 0 {
			t.Errorf("%s of %s for %s is not what is written for this target alone", k.Kernel.Name, b.source, target.Name)
			continue
		}
		same++
		if (artefact.Form != "") != (target.Object != nil) {
			t.Errorf("%s for %s has the form %q", b.source, target.Name, artefact.Form)
		}
		if target.Object == nil { // -S writes no description
			alone, err := abi.UnmarshalDescription(single[strings.TrimSuffix(artefact.File, target.Extension)+".json"])
			if err != nil {
				t.Fatal(err)
			}
			b.compareDescriptions(t, k, artefact, description, alone)
		}
	}
	return same, refused
}

// compareDescriptions compares the description of a kernel in a manifest with that of a build for
// one target.
func (b *buildOfAll) compareDescriptions(t *testing.T, k *abi.ManifestKernel, artefact *abi.ManifestArtefact, description *abi.Kernel, alone *abi.Description) {
	t.Helper()
	if alone.Target != artefact.Target || alone.Profile != artefact.Profile || alone.Code != artefact.CodeFile || !reflect.DeepEqual(alone.Demands, *artefact.Demands) ||
		!reflect.DeepEqual(alone.Overrides, k.Overrides) || alone.Code.Check(b.files[artefact.File]) != nil {
		t.Errorf("%s of %s for %s alone has another description than the manifest:\n%+v\n%+v", k.Kernel.Name, b.source, alone.Target, alone, artefact)
	}
	want := &alone.Kernel
	want.Profile = description.Profile // a member of the artefact in the manifest
	// the manifest has one description for several targets
	if want.Parameters == nil {
		want.Parameters = description.Parameters
	}
	if !reflect.DeepEqual(want, description) {
		t.Errorf("%s of %s is described otherwise for %s alone:\n%+v\n%+v", k.Kernel.Name, b.source, alone.Target, description, want)
	}
}

// errorLine matches the first line of an error.
var errorLine = regexp.MustCompile(`(?m)^(.+):(\d+):(\d+): error: (.+) \[([a-z-]+)\]$`)

// checkMissing compares the reason in a manifest with the errors of a build for the target, one for
// each kernel.
func checkMissing(t *testing.T, source string, target abi.Target, kernels int, k *abi.ManifestKernel, said string) {
	t.Helper()
	errors := errorLine.FindAllStringSubmatch(said, -1)
	if len(errors) == 0 || len(errors) > kernels || strings.Count(said, " error: ") != len(errors) {
		t.Errorf("%s for %s has not one error with a position for each kernel: %s", source, target, said)
	}
	for _, m := range k.Missing {
		if m.Target != target {
			continue
		}
		got := []string{m.File, fmt.Sprint(m.Line), fmt.Sprint(m.Column), m.Message, m.Code}
		if !slices.ContainsFunc(errors, func(e []string) bool { return slices.Equal(e[1:], got) }) {
			t.Errorf("%s for %s: the manifest says %q, the errors %q", source, target, got, errors)
		}
		return
	}
	t.Errorf("%s: %s is not missing", source, target)
}

// TestBuildAllObjects does the same with code objects, if LLVM is there.
func TestBuildAllObjects(t *testing.T) {
	if _, err := exec.LookPath("clang-19"); err != nil {
		t.Skip("skipped: there is no clang-19 (Debian: clang-19)")
	}
	for _, name := range []string{"saxpy", "matmul_tiled"} {
		source := "../../testdata/exec/" + name + ".wgsl"
		together, alone := t.TempDir()+"/", t.TempDir()+"/"
		for folder, target := range map[string]string{together: "all,amdgpu:gfx942", alone: "amdgpu:gfx942"} {
			if _, said, code := execute("build", "-target", target, "-o", folder, source); code != cli.ExitOK {
				t.Fatal(said)
			}
		}
		object := filesIn(t, together)[name+".hsaco"]
		if len(object) == 0 || !bytes.Equal(object, filesIn(t, alone)[name+".hsaco"]) {
			t.Errorf("the code object of %s, of %d bytes, is not what is written for this target alone", name, len(object))
		}
	}
}

// assertConstants writes assertions of the constants of a kernel's header, and returns their
// number. Base is the prefix of their names, and files are those of the build.
func assertConstants(program *strings.Builder, base string, of *abi.ManifestKernel, files map[string][]byte) (asserted int) {
	k := &of.Kernel
	part := base + "_" + k.Name
	assert := func(name string, want any) {
		fmt.Fprintf(program, "static_assert(%s_%s == %d, \"%[2]s\");\n", part, name, want)
		asserted++
	}
	for n, name := range []string{"X", "Y", "Z"} {
		assert("WORKGROUP_"+name, k.Workgroup[n])
	}
	for n, b := range k.Arguments() {
		assert(b.Name+"_GROUP", b.Group)
		assert(b.Name+"_BINDING", b.Binding)
		assert(b.Name+"_ORDER", n)
		if b.Stride != 0 {
			assert(b.Name+"_STRIDE", b.Stride)
		}
	}
	for n, h := range k.Handles {
		assert(h.Name+"_BINDING", h.Binding)
		assert(h.Name+"_ORDER", n)
	}
	for _, target := range []abi.Target{abi.SPIRV, abi.PTX, abi.MSL, abi.AMDGPU} {
		a, d := of.For(target)
		if a == nil {
			continue
		}
		name := strings.ToUpper(string(target))
		assert(name+"_FILE_BYTES", len(files[a.File]))
		assert(name+"_ALIGNMENT", a.Alignment)
		if target == abi.SPIRV && k.ImmediateBytes() > 0 {
			assert("SPIRV_PUSH_CONSTANT_BYTES", (d.ImmediateBytes()+15)/16*16)
		}
	}
	if a, d := of.For(abi.PTX); a != nil {
		for n, p := range d.Parameters {
			kind := strings.ToUpper(string(p.Kind))
			switch {
			case p.Kind.OfPairs():
				assert("PTX_"+d.Handles[p.Binding].Name+"_"+d.Handles[p.Sampler].Name+"_"+kind, n)
			case !p.Kind.OfBuffers():
				assert("PTX_"+d.Handles[p.Binding].Name+"_"+kind, n)
			case p.Kind != abi.ImmediatesParameter:
				assert("PTX_"+d.Bindings[p.Binding].Name+"_"+kind, n)
			}
		}
		assert("PTX_PARAMETERS", len(d.Parameters))
	}
	if a, d := of.For(abi.MSL); a != nil {
		fmt.Fprintf(program, "static_assert(sizeof(%s_MSL_NAME) == sizeof(\"%s\"), \"another name\");\n", part, d.Name)
		if d.Lengths != nil {
			assert("MSL_LENGTHS_BUFFER", d.Lengths.Buffer)
		}
	}
	return asserted
}

// TestHeaders compiles the headers of all exec kernels and of kernels in Go as C and C++, in one
// program that asserts the values of the manifests.
func TestHeaders(t *testing.T) {
	testmode.Long(t)
	sources, err := filepath.Glob("../../testdata/exec/*.wgsl")
	if err != nil || len(sources) == 0 {
		t.Fatal("no kernels")
	}
	sources = append(sources, "testdata/structures.wgsl", "../../internal/gokernels")
	folder := t.TempDir() + "/"
	path := os.Getenv("PATH")
	for _, source := range sources {
		if info, err := os.Stat(source); err == nil && !info.IsDir() {
			t.Setenv("PATH", folder) // no tool makes code objects; packages need the go command
		} else {
			t.Setenv("PATH", path)
		}
		if _, said, code := build(settingsOf(filepath.Base(source)), "-target", targetflag.All, "-S", "-o", folder, source); code != cli.ExitOK {
			t.Fatal(said)
		}
	}
	t.Setenv("PATH", path)
	var program strings.Builder
	asserted := 0
	files := filesIn(t, folder)
	for name, data := range files {
		base, found := strings.CutSuffix(name, builder.ManifestExtension)
		if !found {
			continue
		}
		m, err := abi.UnmarshalManifest(data)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&program, "#include \"%s\"\n#include \"%[1]s\"\n", m.Header)
		for n := range m.Kernels {
			asserted += assertConstants(&program, base, &m.Kernels[n], files)
		}
	}
	if asserted < 1000 {
		t.Errorf("only %d constants are asserted", asserted)
	}
	for file, command := range map[string][]string{
		"host.c":   {"gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"},
		"host.cpp": {"clang-19", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"},
	} {
		t.Run(file, func(t *testing.T) {
			if _, err := exec.LookPath(command[0]); err != nil {
				t.Skipf("skipped: there is no %s on the PATH (Debian: gcc, clang-19)", command[0])
			}
			file := filepath.Join(folder, file)
			write(t, file, program.String())
			if said, err := exec.Command(command[0], append(command[1:], file)...).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, said)
			}
		})
	}
}
