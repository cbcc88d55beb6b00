package object

import (
	"strings"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
)

// This file writes the note (User Guide for AMDGPU Backend, "Code Object V5 Metadata"). Keys are in
// alphabetical order, as LLVM has them.

// versions is the version of the metadata, that of code object 5.
var versions = [...]uint32{1, 2}

// targetPrefix precedes the processor in the name of a target.
const targetPrefix = "amdgcn-amd-amdhsa--"

// metadataNote returns the contents of the note.
func metadataNote(f isa.Family, kernels []Kernel) []byte {
	var p packer
	p.fields(3)
	p.text("amdhsa.kernels")
	p.list(len(kernels))
	for n := range kernels {
		p.kernel(f, &kernels[n])
	}
	p.pair(pair{key: "amdhsa.target", text: targetPrefix + f.String()})
	p.text("amdhsa.version")
	p.list(len(versions))
	for _, v := range versions {
		p.number(v)
	}
	return p
}

// kernel appends the map of a kernel.
func (p *packer) kernel(f isa.Family, k *Kernel) {
	const onBoth = 15
	switch {
	case len(k.Arguments) > 0:
		p.fields(onBoth + 1)
	default:
		p.fields(onBoth)
	}
	if f == isa.GFX942 {
		p.pair(pair{key: ".agpr_count", number: uint32(k.AGPRs)})
	}
	if len(k.Arguments) > 0 {
		p.text(".args")
		p.list(len(k.Arguments))
		for n := range k.Arguments {
			p.argument(&k.Arguments[n])
		}
	}
	for _, f := range [...]pair{
		{key: ".group_segment_fixed_size", number: k.Shared},
		{key: ".kernarg_segment_align", number: k.ArgumentAlign},
		{key: ".kernarg_segment_size", number: k.ArgumentBytes},
		{key: ".max_flat_workgroup_size", number: uint32(k.Workgroup)},
		{key: ".name", text: k.Name},
		{key: ".private_segment_fixed_size", number: k.Scratch},
		{key: ".sgpr_count", number: uint32(k.SGPRs)},
		{key: ".sgpr_spill_count", number: uint32(k.SGPRSpills)},
		{key: ".symbol", text: k.Name + descriptorSuffix},
		{key: ".uniform_work_group_size", number: 1},
	} {
		p.pair(f)
	}
	p.text(".uses_dynamic_stack")
	p.boolean(k.DynamicStack)
	p.pair(pair{key: ".vgpr_count", number: uint32(k.allVGPRs())})
	p.pair(pair{key: ".vgpr_spill_count", number: uint32(k.VGPRSpills)})
	p.pair(pair{key: ".wavefront_size", number: uint32(k.Wave)})
	if f == isa.GFX1100 {
		p.pair(pair{key: ".workgroup_processor_mode", number: 1})
	}
}

// argument appends the map of an argument.
func (p *packer) argument(a *Argument) {
	fields := make([]pair, 0, 6)
	if a.ReadOnly {
		fields = append(fields, pair{key: ".actual_access", text: "read_only"})
	}
	if a.Kind == GlobalBuffer {
		fields = append(fields, pair{key: ".address_space", text: "global"})
	}
	if a.Name != "" && !strings.HasPrefix(string(a.Kind), "hidden_") {
		fields = append(fields, pair{key: ".name", text: a.Name})
	}
	fields = append(fields, pair{key: ".offset", number: a.Offset}, pair{key: ".size", number: a.Bytes}, pair{key: ".value_kind", text: string(a.Kind)})
	p.fields(len(fields))
	for _, f := range fields {
		p.pair(f)
	}
}
