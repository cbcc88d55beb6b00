package amdgpu_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/codeobject"
)

// share is the divisor of the kernels that each profile gets in a short test. Otherwise TestObjects
// gives each profile every second kernel. TestExec, TestComgr and package isa compile all kernels
// for other profiles.
const share = 8

// TestObjects makes code objects of the exec kernels for all profiles with LLVM, and compares their
// metadata with the descriptions of the kernels.
func TestObjects(t *testing.T) {
	if missing := bench.MissingTools(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	cases := exectest.Cases()
	var group sync.WaitGroup
	var mutex sync.Mutex
	total := 0
	room := make(chan bool, 2)
	for index, p := range amdgpu.Target.Profiles {
		var programs []bench.Program
		for n := range cases {
			if c := &cases[n]; len(c.Textures) == 0 && n%2 == index%2 && (testmode.IsLong() || n%share == index%share) && testmode.Shared(p.Name+c.Name, 2) {
				x := compileCase(t, c, p.Name, p.Name, codegen.Options{})
				if x.refused != "" {
					t.Fatalf("%s: %s", x.name, x.refused)
				}
				programs = append(programs, x.programs...)
			}
		}
		const part = 40 // kernels in one process
		for start := 0; start < len(programs); start += part {
			group.Go(func() {
				room <- true
				defer func() { <-room }()
				some := programs[start:min(start+part, len(programs))]
				o, err := bench.Assemble(p.Name, some)
				mutex.Lock()
				defer mutex.Unlock()
				if err != nil {
					t.Errorf("%s: %v", p.Name, err)
					return
				}
				for n := range some {
					checkObject(t, &p, o, bench.KernelName(n), &some[n])
				}
				total += len(some)
			})
		}
	}
	group.Wait()
	t.Logf("%d kernels of %d profiles", total, len(amdgpu.Target.Profiles))
}

// checkObject compares the metadata of a kernel with its description.
func checkObject(t *testing.T, p *codegen.Profile, o *bench.Object, name string, program *bench.Program) {
	t.Helper()
	k := program.Kernel
	if !strings.HasPrefix(o.Symbols[name], "FUNC ") || o.Symbols[name+".kd"] != "OBJECT 64" {
		t.Errorf("%s: the symbols of %s are %q and %q", p.Name, name, o.Symbols[name], o.Symbols[name+".kd"])
	}
	lines := o.Kernel(name)
	want := []string{
		fmt.Sprint(".wavefront_size: ", p.Subgroup),
		fmt.Sprint(".max_flat_workgroup_size: ", k.Workgroup[0]*k.Workgroup[1]*k.Workgroup[2]),
		".symbol: " + name + ".kd",
	}
	// LLVM removes workgroup memory that nothing reads, aligns variables to 16 bytes, and may put
	// arrays of invocations there
	for _, l := range lines {
		var size uint32
		if n, _ := fmt.Sscanf(l, ".group_segment_fixed_size: %d", &size); n == 1 && size > (k.WorkgroupBytes+15)/16*16 && !bytes.Contains(program.Code, []byte(" = alloca ")) {
			t.Errorf("%s %s: %d bytes of workgroup memory, described are %d", p.Name, name, size, k.WorkgroupBytes)
		}
	}
	// arguments follow each other, each at its alignment
	var arguments []string
	at, align := uint64(0), uint64(1)
	add := func(bytes, aligned uint64, kind string) {
		at = (at + aligned - 1) / aligned * aligned
		align = max(align, aligned)
		arguments = append(arguments, fmt.Sprint(".offset: ", at), fmt.Sprint(".size: ", bytes), ".value_kind: "+kind)
		at += bytes
	}
	for _, parameter := range k.Parameters {
		switch parameter.Kind {
		case abi.AddressParameter:
			add(8, 8, "global_buffer")
		case abi.LengthParameter:
			add(4, 4, "by_value")
		case abi.ImmediatesParameter:
			add(uint64(k.ImmediateBytes()), 16, "by_value")
		}
	}
	var found []string
	for _, l := range lines {
		if key, value, _ := strings.Cut(l, ": "); key == ".offset" || key == ".size" || key == ".value_kind" {
			found = append(found, key+": "+value)
		}
	}
	hidden := slices.IndexFunc(found, func(l string) bool { return strings.HasPrefix(l, ".value_kind: hidden") })
	if hidden >= 0 { // the implicit arguments of a kernel that reads the number of workgroups
		found = found[:hidden-2]
	} else {
		want = append(want, fmt.Sprint(".kernarg_segment_size: ", at))
	}
	if !slices.Equal(found, arguments) {
		t.Errorf("%s %s: the arguments are\n%q, want\n%q", p.Name, name, found, arguments)
	}
	for _, l := range want {
		if !slices.Contains(lines, l) {
			t.Errorf("%s %s: there is no %q in\n%s", p.Name, name, l, strings.Join(lines, "\n"))
		}
	}
}

// TestStack checks that no kernel has a dynamic stack, whose size a runtime would guess, even if it
// calls functions.
func TestStack(t *testing.T) {
	if missing := bench.MissingTools(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	cases := exectest.Cases()
	n := slices.IndexFunc(cases, func(c exectest.Case) bool { return c.Name == "language_pointers" })
	for _, profile := range []string{"gfx1100", "gfx942"} {
		x := compileCase(t, &cases[n], "-O0", profile, codegen.Options{NoOptimize: true})
		if x.refused != "" || !strings.Contains(string(x.programs[0].Code), "call void @.function") {
			t.Fatalf("%s: no function is called: %s", profile, x.refused)
		}
		o, err := bench.Assemble(profile, x.programs)
		if err != nil {
			t.Fatal(err)
		}
		if lines := o.Kernel(bench.KernelName(0)); !slices.Contains(lines, ".uses_dynamic_stack: false") {
			t.Errorf("%s: there is no .uses_dynamic_stack: false in\n%s", profile, strings.Join(lines, "\n"))
		}
	}
}

// TestComgr makes code objects of the exec kernels with AMD's library, for processors that its
// oldest version knows, and compares their metadata with the descriptions of the kernels.
func TestComgr(t *testing.T) {
	testmode.Quick(t, "comgr compiles slowly")
	if codeobject.Comgr() == "" {
		t.Skip("skipped: there is no libamd_comgr (Debian: libamd-comgr2)")
	}
	if missing := bench.MissingTools(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	cases := exectest.Cases()
	processors := []string{"gfx90a", "gfx1030"}
	for index, name := range processors {
		p := amdgpu.Target.Profiles[slices.IndexFunc(amdgpu.Target.Profiles, func(p codegen.Profile) bool { return p.Name == name })]
		var programs []bench.Program
		for n := range cases {
			if c := &cases[n]; len(c.Textures) == 0 && n%len(processors) == index && (testmode.IsLong() || n%(3*share) == index) {
				programs = append(programs, compileCase(t, c, name, name, codegen.Options{}).programs...)
			}
		}
		objects := make([][]byte, len(programs))
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", t.TempDir()) // so that only the library can be used
			for n := range programs {
				var err error
				if objects[n], err = codeobject.Make(&abi.Artefact{Target: abi.AMDGPU, Code: programs[n].Code, Kernel: *programs[n].Kernel}); err != nil {
					t.Fatal(err)
				}
			}
		})
		for n, object := range objects {
			if object == nil {
				break // after an error
			}
			o, err := bench.Read(object)
			if err != nil {
				t.Fatal(err)
			}
			checkObject(t, &p, o, programs[n].Kernel.Name, &programs[n])
		}
		t.Logf("%d kernels by %s", len(programs), codeobject.Comgr())
	}
}

// TestBuild makes a code object as a build does, and checks that the target recognises it. Without
// tools the error names them.
func TestBuild(t *testing.T) {
	cases := exectest.Cases()
	n := slices.IndexFunc(cases, func(c exectest.Case) bool { return c.Name == "saxpy" })
	x := compileCase(t, &cases[n], "default", "gfx11-generic", codegen.Options{})
	a := &abi.Artefact{Target: abi.AMDGPU, Code: x.programs[0].Code, Kernel: *x.programs[0].Kernel}
	if missing := bench.MissingTools(); missing == "" {
		o, err := amdgpu.Target.Object(a)
		if err != nil {
			t.Fatal(err)
		}
		if !amdgpu.Target.Recognise(o) {
			t.Error("the object is not recognised")
		}
	}
	t.Setenv("PATH", t.TempDir())
	_, err := amdgpu.Target.Object(a) // a profile that comgr does not support
	for _, word := range []string{"libamd_comgr", "clang-19", "on the PATH", "none is there"} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%v does not say %q", err, word)
		}
	}
	if amdgpu.Target.Recognise([]byte("\x7fELF\x02\x01\x01")) {
		t.Error("an object of others is recognised")
	}
}
