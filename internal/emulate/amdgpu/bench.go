// Package amdgpu tests the text of the target amdgpu without AMD's devices, in two ways. Both share
// no code with the compiler but the description of a kernel.
//
// Run executes the text on the host. LLVM compiles it with functions instead of AMD's intrinsics
// (hooks.h) and with a single address space, and fibers run the invocations
// (internal/emulate/fibers). This tests everything except for LLVM's back end for AMD and address
// spaces.
//
// Assemble makes a code object by LLVM's back end and linker, as a build does.
// internal/emulate/gfx942 executes code objects.
package amdgpu

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/gpuc/gpuc/internal/emulate/fibers"
	"github.com/gpuc/gpuc/runtime/abi"
)

//go:embed hooks.h
var hooks string

// The tools of LLVM.
const (
	compiler = "clang++-19"
	joiner   = "llvm-link-19"
)

// Missing returns the missing requirement to run programs, or "".
var Missing = sync.OnceValue(func() string {
	if _, err := exec.LookPath(joiner); err != nil {
		return joiner + " (Debian: llvm-19)"
	}
	return fibers.Missing(compiler, func(folder string) (string, error) { return compile(folder, nil) })
})

// Program is the code of a kernel and its description.
type Program struct {
	Code   []byte
	Kernel *abi.Kernel
}

// Add adds a launch of a kernel to a job. The bindings are indices in the job's data. Add provides
// the immediates and the lengths of runtime-sized arrays, as the runtime does.
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

// Run compiles programs and executes jobs, whose data it updates. An error is one of the compiler;
// errors of a job are in its Err.
func Run(programs []Program, jobs []*fibers.Job) error {
	b, err := Build(programs)
	return fibers.RunAndClose(b, err, jobs)
}

// Build compiles programs to one binary.
func Build(programs []Program) (*fibers.Binary, error) {
	return fibers.Build(func(folder string) (string, error) { return compile(folder, programs) })
}

// convergent are the barriers and cross-lane intrinsics. Their functions have the line as an
// argument.
var convergent = []string{"s.barrier", "wave.barrier", "ballot.i32", "ballot.i64", "readlane.i32", "readfirstlane.i32", "ds.bpermute"}

// declarations are the declarations of the functions in hooks.h.
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
declare void @amdgcn_product(i32, i32, i32, i32, i32, i32, ptr, ptr, ptr) #8
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

// translate returns the text of a program for the host, with the kernel renamed to kernel_n.
func translate(n int, p *Program) (string, error) {
	code := string(p.Code)
	head := "define protected amdgpu_kernel void @" + p.Kernel.Name + "("
	if strings.Count(code, head) != 1 {
		return "", fmt.Errorf("there is no %q in\n%s", head, code)
	}
	code = strings.Replace(code, head, fmt.Sprintf("define void @kernel_%d(", n), 1)
	code = strings.Replace(code, "target triple = \"amdgcn-amd-amdhsa\"\n", "\n", 1)
	code = declared.ReplaceAllString(code, "") // an empty line remains, so that line numbers stay
	code = attributes.ReplaceAllString(code, "attributes #$1 = { nounwind }")
	code = scopes.ReplaceAllString(spaces.ReplaceAllString(code, ""), "")
	code = strings.ReplaceAll(code, "@llvm.fma.f16(", "@fma_f16(") // hosts round it twice
	code = strings.ReplaceAll(code, " x i8] undef, align", ` x i8] zeroinitializer, section "lds", align`)
	lines := strings.Split(code, "\n")
	for n, line := range lines {
		at := intrinsic.FindStringSubmatchIndex(line)
		if at == nil {
			continue
		}
		name, rest := line[at[2]:at[3]], line[at[1]:]
		line = line[:at[0]] + "@amdgcn_" + strings.ReplaceAll(name, ".", "_") + "("
		if slices.Contains(convergent, name) || isProduct(name) {
			if line += fmt.Sprintf("i32 %d", n+1); rest[0] != ')' {
				line += ", "
			}
		}
		lines[n] = line + rest
	}
	return strings.Join(lines, "\n") + declarations + definitions(string(p.Code)), nil
}

// caller returns a C++ function that calls a program's kernel with its arguments.
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

// waveOf returns the size of waves on the processor that a kernel was compiled for.
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
		"int main(int, char** names) { bench::begin_group = fill_lds; return names[1] ? bench::run(programs, names[1], names[2]) : 0; }\n")
	files["programs.cpp"] = source.String()
	if err := fibers.Write(folder, files); err != nil {
		return "", err
	}
	command := []string{compiler, "-O1", "-w", "-fno-exceptions"}
	if len(programs) > 0 {
		if err := fibers.Tool(joiner, join...); err != nil {
			return "", err
		}
		command = append(command, join[1])
	}
	return fibers.Compile(folder, append(command, "-lm")...)
}
