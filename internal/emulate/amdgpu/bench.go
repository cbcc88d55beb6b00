// Package amdgpu judges what the target amdgpu writes, on a machine without AMD's devices, in two
// ways that share nothing with the compiler but the description of a kernel.
//
// Run executes the text: LLVM compiles it for the host, with functions (hooks.h) in the place of
// AMD's intrinsics and one address space for all, and fibers run the invocations
// (internal/emulate/fibers). That judges everything but LLVM's back end for AMD, and what address
// spaces forbid.
//
// Assemble makes a code object of it, as a build does, by LLVM's back end and linker;
// internal/emulate/gfx942 executes those.
package amdgpu

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/gpuc/gpuc/internal/emulate/fibers"
	"github.com/gpuc/gpuc/runtime/abi"
)

//go:embed hooks.h
var hooks string

// The tools.
const (
	compiler = "clang++-19"
	joiner   = "llvm-link-19"
)

// Missing says what this machine lacks to run programs, or "".
var Missing = sync.OnceValue(func() string {
	if _, err := exec.LookPath(joiner); err != nil {
		return joiner + " (Debian: llvm-19)"
	}
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err.Error()
	}
	defer os.RemoveAll(folder)
	if _, err := compile(folder, nil); err != nil {
		message, _, _ := strings.Cut(err.Error(), "\n")
		return compiler + " with the headers of a C++ library (Debian: clang-19 and libstdc++-12-dev): " + message
	}
	return ""
})

// Program is the code of a kernel and its description.
type Program struct {
	Code   []byte
	Kernel *abi.Kernel
}

// Add adds to a job a launch of a kernel whose bindings are places in its data. What the runtime
// provides is made: the immediates, of all bytes that the kernel takes, and the lengths of
// runtime-sized arrays.
func Add(j *fibers.Job, program int, k *abi.Kernel, grid [3]uint32, bindings []int, immediates []byte) *fibers.Launch {
	l := fibers.Launch{Program: program, Grid: grid, Workgroup: k.Workgroup}
	for _, p := range k.Parameters {
		switch p.Kind {
		case abi.AddressParameter:
			l.Arguments = append(l.Arguments, bindings[p.Binding])
		case abi.LengthParameter:
			n := k.Bindings[p.Binding].Length(uint64(len(j.Data[bindings[p.Binding]])))
			j.Own(&l, binary.LittleEndian.AppendUint32(nil, n))
		case abi.ImmediatesParameter:
			data := make([]byte, k.ImmediateBytes())
			copy(data, immediates)
			k.PutExtent(data, grid, [3]uint32{})
			j.Own(&l, data)
		}
	}
	j.Launches = append(j.Launches, l)
	return &j.Launches[len(j.Launches)-1]
}

// Run compiles programs together and executes jobs, each in memory of its own, whose contents it
// writes back. An error is one of the compiler.
func Run(programs []Program, jobs []*fibers.Job) error {
	b, err := Build(programs)
	if err != nil {
		return err
	}
	defer b.Close()
	b.Run(jobs)
	return nil
}

// Build compiles programs together, for as long as the binary is not closed.
func Build(programs []Program) (*fibers.Binary, error) {
	return fibers.Build(func(folder string) (string, error) { return compile(folder, programs) })
}

// together are the intrinsics that invocations execute together; they get the line where they
// stand.
var together = []string{"s.barrier", "wave.barrier", "ballot.i32", "ballot.i64", "readlane.i32", "readfirstlane.i32", "ds.bpermute"}

// declarations are of the functions in hooks.h, and of no other intrinsic.
const declarations = `
declare i32 @amdgcn_workitem_id_x() #9
declare i32 @amdgcn_workitem_id_y() #9
declare i32 @amdgcn_workitem_id_z() #9
declare i32 @amdgcn_workgroup_id_x() #9
declare i32 @amdgcn_workgroup_id_y() #9
declare i32 @amdgcn_workgroup_id_z() #9
declare ptr @amdgcn_implicitarg_ptr() #9
declare i32 @amdgcn_mbcnt_lo(i32, i32) #9
declare i32 @amdgcn_mbcnt_hi(i32, i32) #9
declare float @amdgcn_rsq_f32(float) #9
declare void @amdgcn_s_barrier(i32) #8
declare void @amdgcn_wave_barrier(i32) #8
declare i32 @amdgcn_ballot_i32(i32, i1 zeroext) #8
declare i64 @amdgcn_ballot_i64(i32, i1 zeroext) #8
declare i32 @amdgcn_readlane_i32(i32, i32, i32) #8
declare i32 @amdgcn_readfirstlane_i32(i32, i32) #8
declare i32 @amdgcn_ds_bpermute(i32, i32, i32) #8
attributes #8 = { nounwind convergent }
attributes #9 = { nounwind }
`

var (
	intrinsic  = regexp.MustCompile(`@llvm\.amdgcn\.([a-z0-9.]+)\(`)
	spaces     = regexp.MustCompile(`,? addrspace\([0-9]\)`)
	attributes = regexp.MustCompile(`(?m)^attributes #([01]) = \{.*$`)
	scopes     = regexp.MustCompile(` syncscope\("[a-z]+"\)`)
	declared   = regexp.MustCompile(`(?m)^declare .*@llvm\.amdgcn\..*$`)
)

// translate returns the text of a program for the host, its kernel under another name.
func translate(n int, p *Program) (string, error) {
	code := string(p.Code)
	head := "define protected amdgpu_kernel void @" + p.Kernel.Name + "("
	if strings.Count(code, head) != 1 {
		return "", fmt.Errorf("there is no %q in\n%s", head, code)
	}
	code = strings.Replace(code, head, fmt.Sprintf("define void @kernel_%d(", n), 1)
	code = strings.Replace(code, "target triple = \"amdgcn-amd-amdhsa\"\n", "\n", 1)
	code = declared.ReplaceAllString(code, "") // the line stays, for the numbers of those behind
	code = attributes.ReplaceAllString(code, "attributes #$1 = { nounwind }")
	code = scopes.ReplaceAllString(spaces.ReplaceAllString(code, ""), "")
	code = strings.ReplaceAll(code, "@llvm.fma.f16(", "@fma_f16(") // hosts round it twice
	code = strings.ReplaceAll(code, " x i8] undef, align", ` x i8] zeroinitializer, section "lds", align`)
	lines := strings.Split(code, "\n")
	for number, line := range lines {
		at := intrinsic.FindStringSubmatchIndex(line)
		if at == nil {
			continue
		}
		name, rest := line[at[2]:at[3]], line[at[1]:]
		line = line[:at[0]] + "@amdgcn_" + strings.ReplaceAll(name, ".", "_") + "("
		for _, other := range together {
			if name == other {
				if line += fmt.Sprintf("i32 %d", number+1); rest[0] != ')' {
					line += ", "
				}
			}
		}
		lines[number] = line + rest
	}
	return strings.Join(lines, "\n") + declarations, nil
}

// caller returns a function that calls a program's kernel with what it takes.
func caller(n int, k *abi.Kernel) string {
	var types, arguments []string
	for m, p := range k.Parameters {
		if p.Kind == abi.LengthParameter {
			types = append(types, "unsigned int")
			arguments = append(arguments, fmt.Sprintf("*(unsigned int*)a.buffers[%d]", m))
			continue
		}
		types = append(types, "void*")
		arguments = append(arguments, fmt.Sprintf("a.buffers[%d]", m))
	}
	return fmt.Sprintf("extern \"C\" void kernel_%d(%s);\nstatic void run_%d(const bench::Arguments& a) { kernel_%d(%s); }\n",
		n, strings.Join(types, ", "), n, n, strings.Join(arguments, ", "))
}

// waveOf is the size of a kernel's waves, as the processor has them that it was compiled for.
func waveOf(k *abi.Kernel) int {
	if strings.HasPrefix(k.Profile, "gfx9") {
		return 64
	}
	return 32
}

func compile(folder string, programs []Program) (string, error) {
	var source strings.Builder
	source.WriteString(fibers.System + "#include \"runtime.h\"\n#include \"hooks.h\"\n")
	entries := ""
	files := map[string]string{"runtime.h": fibers.Runtime, "hooks.h": hooks}
	join := []string{"-o", filepath.Join(folder, "all.bc")}
	for n := range programs {
		text, err := translate(n, &programs[n])
		if err != nil {
			return "", err
		}
		name := fmt.Sprintf("p%d.ll", n)
		files[name] = text
		join = append(join, filepath.Join(folder, name))
		source.WriteString(caller(n, programs[n].Kernel))
		entries += fmt.Sprintf("{run_%d, %d}, ", n, waveOf(programs[n].Kernel))
	}
	source.WriteString("static const bench::Program programs[] = {" + entries + "{nullptr, 32}};\n" +
		"int main(int, char** names) { bench::fresh = fill_lds; return names[1] ? bench::run(programs, names[1], names[2]) : 0; }\n")
	files["programs.cpp"] = source.String()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	out := filepath.Join(folder, "programs")
	arguments := []string{"-O1", "-w", "-fno-exceptions", "-o", out, filepath.Join(folder, "programs.cpp")}
	if len(programs) > 0 {
		if err := tool(joiner, join...); err != nil {
			return "", err
		}
		arguments = append(arguments, join[1])
	}
	return out, tool(compiler, append(arguments, "-lm")...)
}

// tool runs a tool, which must say nothing.
func tool(name string, arguments ...string) error {
	message, err := exec.Command(name, arguments...).CombinedOutput()
	if err == nil && len(message) > 0 {
		err = fmt.Errorf("%s is not silent", name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, fibers.First(message, 3000))
	}
	return nil
}
