package hostdecl

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/structs"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/runtime/abi"
)

// HeaderStart is how headers begin.
const HeaderStart = "// Declared by gpuc build: "

// headerWriter writes the constants of a header under unique names.
type headerWriter struct {
	b     strings.Builder
	taken map[string]bool
}

// CHeader returns a header for C and C++ with what a host needs at compile time to launch the
// kernels of a manifest. Names begin with base, the name of the source. Constants are macros, since
// those of an enumeration are of type int. Rest names the file that has all other data.
func CHeader(m *ir.Module, manifest *abi.Manifest, base, rest string) []byte {
	prefix := identifier(base)
	if first := rune(prefix[0]); unicode.IsDigit(first) {
		prefix = "kernels_" + prefix
	}
	w := headerWriter{taken: map[string]bool{}}
	guard := unique(prefix+"_H", w.taken)
	fmt.Fprintf(&w.b, "%swhat a host needs to know of the kernels of %s.\n// See %s for the rest.\n#ifndef %s\n#define %[4]s\n\n%s",
		HeaderStart, manifest.Source, rest, guard, C.head)
	if list, err := structs.Find(m, nil); err == nil { // without names there is no error
		C.declarationsOf(m, list, prefix+"_", w.taken).write(&w.b, list)
	}
	for n := range manifest.Kernels {
		w.kernel(prefix, &manifest.Kernels[n])
	}
	fmt.Fprintf(&w.b, "\n#endif // %s\n", guard)
	return []byte(w.b.String())
}

// define writes an integer constant. The parts of its name are joined by underscores.
func (w *headerWriter) define(value any, name ...string) {
	fmt.Fprintf(&w.b, "#define %s %d\n", unique(strings.Join(name, "_"), w.taken), value)
}

// text writes a string constant.
func (w *headerWriter) text(value string, name ...string) {
	fmt.Fprintf(&w.b, "#define %s %s\n", unique(strings.Join(name, "_"), w.taken), strconv.QuoteToASCII(value))
}

// comment writes a comment.
func (w *headerWriter) comment(format string, args ...any) {
	fmt.Fprintf(&w.b, "// "+format+"\n", args...)
}

// kernel writes the constants of a kernel: those for all targets, and those for each.
func (w *headerWriter) kernel(prefix string, k *abi.ManifestKernel) {
	d := &k.Kernel
	name := prefix + "_" + identifier(d.Name)
	fmt.Fprintf(&w.b, "\n// The kernel %s: the invocations of a workgroup", d.Name)
	if len(k.Overrides) > 0 {
		w.b.WriteString(", with these values of overrides:")
		for n, o := range k.Overrides {
			if n > 0 {
				w.b.WriteString(",")
			}
			fmt.Fprintf(&w.b, " %s = %v", o.Name, o.Value)
		}
	}
	w.b.WriteString(".\n")
	for n, size := range d.Workgroup {
		w.define(size, name, "WORKGROUP", "XYZ"[n:n+1])
	}
	if d.SubgroupSize != 0 {
		w.define(d.SubgroupSize, name, "SUBGROUP_SIZE")
	}
	for n, b := range d.Arguments() {
		w.comment("Buffer %d of a launch: %s, %s.", n, b.Type, strings.ReplaceAll(string(b.Access), "_", " and "))
		part := name + "_" + identifier(b.Name)
		w.define(b.Group, part, "GROUP")
		w.define(b.Binding, part, "BINDING")
		w.define(n, part, "ORDER")
		if b.Stride == 0 || b.Size != 0 {
			w.define(b.Size, part, "BYTES")
		}
		if b.Stride != 0 {
			w.define(b.Stride, part, "STRIDE")
		}
	}
	for n, h := range d.Handles {
		w.comment("Texture or sampler %d of a launch: %s.", n, h.Type)
		part := name + "_" + identifier(h.Name)
		w.define(h.Group, part, "GROUP")
		w.define(h.Binding, part, "BINDING")
		w.define(n, part, "ORDER")
	}
	if bytes := d.ImmediateBytes(); bytes > 0 {
		w.comment("Immediates of a launch.")
		w.define(bytes, name, "IMMEDIATE_BYTES")
		if d.Extent != nil {
			w.define(d.Extent.Offset, name, "EXTENT_OFFSET")
		}
	}
	for _, p := range parameterWriters {
		a, described := k.For(p.target) // of several profiles the first
		if a == nil {
			continue
		}
		w.comment(p.says)
		part := name + "_" + strings.ToUpper(string(p.target))
		w.text(described.Name, part, "NAME")
		w.text(a.File, part, "FILE")
		w.define(a.Bytes, part, "FILE_BYTES")
		w.define(a.Alignment, part, "ALIGNMENT")
		if bytes := described.WorkgroupBytes; bytes > 0 {
			w.define(bytes, part, "WORKGROUP_BYTES")
		}
		if a.DynamicWorkgroupBytes > 0 {
			w.define(a.DynamicWorkgroupBytes, part, "DYNAMIC_WORKGROUP_BYTES")
		}
		for _, h := range a.Provided {
			w.comment("A buffer that the host makes: %s.", h.Role)
			own := part + "_" + bindingName(described, h.Binding)
			w.define(described.Bindings[h.Binding].Group, own, "GROUP")
			w.define(described.Bindings[h.Binding].Binding, own, "BINDING")
			if h.Bytes > 0 {
				w.define(h.Bytes, own, "BUFFER_BYTES")
			}
		}
		p.write(w, part, described)
	}
}

// parameterWriters write how a launch passes parameters, for the targets whose code hosts in C
// load. Vulkan takes groups and bindings. The others have an order of parameters.
var parameterWriters = []struct {
	target abi.Target
	says   string
	write  func(w *headerWriter, part string, k *abi.Kernel)
}{
	{abi.SPIRV, "As SPIR-V: the file of the code, and push constants.", pushConstants},
	{abi.PTX, "As PTX: the parameters by their order, addresses and handles of objects of 8 bytes, other numbers of 4, immediates by value.", parameters},
	{abi.MSL, "As Metal: the indices of buffers.", bufferIndices},
	{abi.AMDGPU, "As AMD's code object: the parameters by their order, addresses and handles of objects of 8 bytes, other numbers of 4, immediates by value.", parameters},
}

// pushConstants writes the size of the push constants, which may have more than the immediates.
func pushConstants(w *headerWriter, part string, k *abi.Kernel) {
	if bytes := k.PushConstantBytes(); bytes > 0 {
		w.define(bytes, part, "PUSH_CONSTANT_BYTES")
	}
}

// parameters writes the positions of a kernel's parameters.
func parameters(w *headerWriter, part string, k *abi.Kernel) {
	list, err := k.PassedParameters()
	if err != nil {
		panic(err) // the description is the compiler's
	}
	for n, p := range list {
		kind := strings.ToUpper(string(p.Kind))
		switch {
		case p.Kind == abi.ImmediatesParameter:
			w.define(n, part, kind)
		case p.Kind.OfBuffers():
			w.define(n, part, bindingName(k, p.Binding), kind)
		case p.Kind.OfPairs(): // of a texture with a sampler
			w.define(n, part, identifier(k.Handles[p.Binding].Name), identifier(k.Handles[p.Sampler].Name), kind)
		default:
			w.define(n, part, identifier(k.Handles[p.Binding].Name), kind)
		}
	}
	w.define(len(list), part, "PARAMETERS")
}

// bufferIndices writes Metal's buffer indices (abi.Lengths).
func bufferIndices(w *headerWriter, part string, k *abi.Kernel) {
	for n := range k.Bindings {
		w.define(n, part, bindingName(k, n), "BUFFER")
	}
	count := len(k.Bindings)
	if k.ImmediateBytes() > 0 {
		w.define(count, part, "IMMEDIATES_BUFFER")
		count++
	}
	if k.Lengths != nil {
		w.define(k.Lengths.Buffer, part, "LENGTHS_BUFFER")
		count++
	}
	w.define(count, part, "BUFFERS")
}

// bindingName returns the name of a binding. One that the runtime provides has none in the source.
func bindingName(k *abi.Kernel, n int) string {
	if name := k.Bindings[n].Name; name != "" {
		return identifier(name)
	}
	return fmt.Sprint("binding", n)
}
