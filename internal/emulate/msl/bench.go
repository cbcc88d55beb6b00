// Package msl executes the text of the target msl without Metal. Clang compiles it for the host,
// with its own <metal_stdlib> (metal_stdlib.h), and the invocations of a workgroup run as fibers
// (package fibers). It shares no code with the compiler but the description of a kernel.
//
// There are two modes, since only Apple's compiler has both: one with checks of undefined
// behaviour, and one in which address spaces are part of types. Other errors of Metal's compiler
// are not found.
package msl

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"strings"
	"sync"

	"github.com/gpuc/gpuc/internal/emulate/fibers"
	"github.com/gpuc/gpuc/runtime/abi"
)

//go:embed metal_stdlib.h
var header string

//go:embed metal_texture.h
var textures string

//go:embed hooks.h
var hooks string

// Compiler is the name of the compiler. Older versions have no vectors of half.
const Compiler = "clang++-19"

// Mode is a mode of compilation.
type Mode int

// The modes.
const (
	Checked Mode = iota // with checks of undefined behaviour at run time
	Spaces              // with address spaces as part of types
)

func (m Mode) String() string { return [...]string{"checked", "spaces"}[m] }

var flags = [...][]string{
	Checked: {"-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero,float-cast-overflow,bounds,bool,alignment,null,return,unreachable",
		"-fno-sanitize-link-runtime", "-fstrict-flex-arrays=1"},
	Spaces: {"-DSPACES"},
}

// Missing returns the missing requirement to run programs, or "".
var Missing = sync.OnceValue(func() string {
	return fibers.Missing(Compiler, func(folder string) (string, error) { return compile(folder, Checked, nil) })
})

// Program is the code of a kernel.
type Program struct {
	Code  []byte
	Entry string
}

// Launch and Job are those of package fibers. The index of a launch's argument is Metal's buffer
// index.
type (
	Launch = fibers.Launch
	Job    = fibers.Job
)

// Texture is a texture that a launch binds. Format is a name of WebGPU.
type Texture struct {
	Format               string
	Dimension            uint32 // 1, 2 or 3
	Width, Height, Depth uint32 // of the first level, in texels
	Layers, Samples      uint32
	Levels               []int // the memory of each level, as index in the job's data
}

// Sampler is a sampler that a launch binds. Modes are names of WebGPU.
type Sampler struct {
	Address                   [3]string
	Magnify, Minify, Mipmap   string
	LowestLevel, HighestLevel float32
	Compare                   string // "" if it does not compare
}

// Bind binds the textures and samplers of a launch, by Metal's indices.
func Bind(l *Launch, textures []Texture, samplers []Sampler) {
	var b []byte
	word := func(list ...uint32) {
		for _, x := range list {
			b = binary.LittleEndian.AppendUint32(b, x)
		}
	}
	text := func(list ...string) {
		for _, s := range list {
			word(uint32(len(s)))
			b = append(b, s...)
		}
	}
	word(uint32(len(textures)))
	for _, t := range textures {
		text(t.Format)
		word(t.Dimension, t.Width, t.Height, t.Depth, t.Layers, uint32(len(t.Levels)), t.Samples)
		for _, buffer := range t.Levels {
			word(uint32(buffer))
		}
	}
	word(uint32(len(samplers)))
	for _, s := range samplers {
		text(s.Address[:]...)
		text(s.Magnify, s.Minify, s.Mipmap)
		word(math.Float32bits(s.LowestLevel), math.Float32bits(s.HighestLevel))
		text(s.Compare)
	}
	l.Bound = b
}

// Add adds a launch of a kernel to a job. The bindings are indices in the job's data. Add appends
// the immediates and the lengths of runtime-sized arrays, as the runtime does. Bind adds textures
// and samplers to the returned launch.
func Add(j *Job, program int, k *abi.Kernel, grid [3]uint32, bindings []int, immediates []byte) *Launch {
	l := Launch{Program: program, Grid: grid, Workgroup: k.Workgroup, SharedBytes: k.WorkgroupBytes, Arguments: append([]int(nil), bindings...)}
	if n := k.ImmediateBytes(); n > 0 {
		data := make([]byte, n)
		copy(data, immediates)
		k.PutExtent(data, grid, [3]uint32{}) // all of the grid
		j.Own(&l, data)
	}
	if k.Lengths != nil {
		if int(k.Lengths.Buffer) != len(l.Arguments) {
			panic("the lengths are not the last buffer")
		}
		var data []byte
		for _, n := range k.Lengths.Bindings {
			data = binary.LittleEndian.AppendUint32(data, k.Bindings[n].Length(uint64(len(j.Data[bindings[n]]))))
		}
		j.Own(&l, data)
	}
	j.Launches = append(j.Launches, l)
	return &j.Launches[len(j.Launches)-1]
}

// Run compiles programs and executes jobs, whose data it updates. An error is one of the compiler;
// errors of a job are in its Err.
func Run(mode Mode, programs []Program, jobs []*Job) error {
	b, err := Build(mode, programs)
	return fibers.RunAndClose(b, err, jobs)
}

// Binary is an executable of several programs.
type Binary = fibers.Binary

// Build compiles programs to one binary.
func Build(mode Mode, programs []Program) (*Binary, error) {
	return fibers.Build(func(folder string) (string, error) { return compile(folder, mode, programs) })
}

// attribute matches an attribute of a parameter.
var attribute = regexp.MustCompile(`\[\[([a-z_]+)(?:\((\d+)\))?\]\]`)

// values are the values of the built-in inputs, by attribute.
var values = map[string]string{
	"thread_position_in_threadgroup": "uint3(a.local[0], a.local[1], a.local[2])",
	"thread_index_in_threadgroup":    "a.index",
	"thread_position_in_grid":        "uint3(a.group[0] * a.size[0] + a.local[0], a.group[1] * a.size[1] + a.local[1], a.group[2] * a.size[2] + a.local[2])",
	"threadgroup_position_in_grid":   "uint3(a.group[0], a.group[1], a.group[2])",
	"threadgroups_per_grid":          "uint3(a.groups[0], a.groups[1], a.groups[2])",
	"thread_index_in_simdgroup":      "a.index % 32u",
	"threads_per_simdgroup":          "32u",
	"simdgroup_index_in_threadgroup": "a.index / 32u",
	"simdgroups_per_threadgroup":     "(a.size[0] * a.size[1] * a.size[2] + 31u) / 32u",
}

// translate returns the text of a program in a namespace, without attributes, and with a function
// run that calls the kernel. The attributes say which arguments it passes.
func translate(n int, p *Program) (string, error) {
	code := string(p.Code)
	for _, line := range [...]string{"#include <metal_stdlib>\n", "using namespace metal;\n"} {
		if !strings.Contains(code, line) {
			return "", fmt.Errorf("the code has no line %q", line)
		}
		code = strings.Replace(code, line, "\n", 1)
	}
	_, signature, ok := strings.Cut(code, "kernel void "+p.Entry+"(")
	if !ok {
		return "", fmt.Errorf("there is no kernel %s", p.Entry)
	}
	signature, _, _ = strings.Cut(signature, ") {\n")
	var arguments []string
	for _, parameter := range parameters(signature) {
		if strings.TrimSpace(parameter) == "" {
			continue
		}
		found := attribute.FindStringSubmatch(parameter)
		if found == nil {
			return "", fmt.Errorf("a parameter without an attribute: %s", parameter)
		}
		words := strings.Fields(parameter[:strings.Index(parameter, "[[")])
		kind := strings.Join(words[:len(words)-1], " ")
		address := "a.shared"
		switch found[1] {
		case "texture":
			arguments = append(arguments, kind+"(((bench::Bound*)a.bound)->textures["+found[2]+"])")
		case "sampler":
			arguments = append(arguments, "sampler{&((bench::Bound*)a.bound)->samplers["+found[2]+"]}")
		case "buffer":
			address = "a.buffers[" + found[2] + "]"
			fallthrough
		case "threadgroup":
			if base, isReference := strings.CutSuffix(kind, "&"); isReference {
				arguments = append(arguments, "*("+base+"*)"+address)
			} else {
				arguments = append(arguments, "("+kind+")"+address)
			}
		default:
			value := values[found[1]]
			if value == "" {
				return "", fmt.Errorf("an unknown attribute: %s", parameter)
			}
			arguments = append(arguments, value)
		}
	}
	space := fmt.Sprintf("p%d", n)
	return "namespace " + space + " {\nusing namespace metal;\n#line 1 \"" + space + ".metal\"\n" + attribute.ReplaceAllString(code, "") +
		"\nstatic void run(const bench::Arguments& a) {\n  " + p.Entry + "(" + strings.Join(arguments, ", ") + ");\n}\n}\n", nil
}

// parameters splits a list at its commas, except those within template arguments.
func parameters(list string) (parts []string) {
	start, depth := 0, 0
	for n, c := range list {
		switch {
		case c == '<':
			depth++
		case c == '>':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, list[start:n])
			start = n + 1
		}
	}
	return append(parts, list[start:])
}

func compile(folder string, mode Mode, programs []Program) (string, error) {
	var source strings.Builder
	source.WriteString(fibers.System + "#include \"metal_stdlib.h\"\n#include \"runtime.h\"\n#include \"hooks.h\"\n")
	entries := ""
	for n := range programs {
		text, err := translate(n, &programs[n])
		if err != nil {
			return "", fmt.Errorf("%w\n%s", err, programs[n].Code)
		}
		source.WriteString(text)
		entries += fmt.Sprintf("{p%d::run, 32}, ", n)
	}
	source.WriteString("static const bench::Program programs[] = {" + entries + "{nullptr, 32}};\n" +
		"int main(int, char** names) { bench::bind = bench::read_bound; bench::begin_group = bench::forget_writes; return names[1] ? bench::run(programs, names[1], names[2]) : 0; }\n")
	files := map[string]string{"metal_stdlib.h": header, "metal_texture.h": textures, "runtime.h": fibers.Runtime, "hooks.h": hooks, "programs.cpp": source.String()}
	if err := fibers.Write(folder, files); err != nil {
		return "", err
	}
	command := []string{Compiler, "-std=c++14", "-O1", "-ffp-contract=off", "-Xclang", "-ffloat16-excess-precision=none", "-w", "-fno-exceptions"}
	return fibers.Compile(folder, append(command, flags[mode]...)...)
}
