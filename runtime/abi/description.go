// Descriptions: JSON that `gpuc build` writes beside a file of code, for programs in any language
// that load it. docs/reference/description.schema.json is the schema, and
// docs/guide/artefacts-and-loading.md shows such programs.
//
// A Kernel is what gpuc's own runtime has to know. A description adds what other programs could
// learn only from the runtime's source: the code's file and origin, and the requirements of the
// interface that launches it. All of that is derived from the code and its Kernel (DemandsOf,
// Kernel.ArgumentsOf, and the target).

package abi

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
)

// DescriptionVersion is the version of descriptions that gpuc writes. Members may be added without
// another version; one that changes its meaning or goes takes one. Version 1 had no member for it,
// and described a kernel alone.
const DescriptionVersion = 2

// Description describes a file of code.
type Description struct {
	// Version is that of the description: DescriptionVersion, or 1.
	Version int `json:"version"`
	// Gpuc is the version of gpuc that compiled the code.
	Gpuc   string   `json:"gpuc"`
	Target Target   `json:"target"`
	Code   CodeFile `json:"code"`
	// Overrides are those on which the kernel depends, with the values that it was compiled with.
	Overrides []Override `json:"overrides,omitempty"`
	// Kernel's members are members of the description.
	Kernel
	// Parameters are those of the kernel, in their order, with their offsets. Only PTX and AMDGPU
	// have parameters.
	Parameters []Argument `json:"parameters,omitzero"`
	// Tensor, if not nil, describes the variant with tensor maps.
	Tensor *DescribedTensor `json:"tensor,omitempty"`
	Demands
}

// CodeFile is a file of code.
type CodeFile struct {
	// File is its name, in the folder of what names it.
	File string `json:"file"`
	// Bytes is its size, and SHA256 the digest of its contents in hexadecimal.
	Bytes  int    `json:"bytes,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// CodeFileOf describes a file with this name and code.
func CodeFileOf(name string, code []byte) CodeFile {
	sum := sha256.Sum256(code)
	return CodeFile{File: name, Bytes: len(code), SHA256: hex.EncodeToString(sum[:])}
}

// Check compares code that was read from the file with the digest, if there is one.
func (f *CodeFile) Check(code []byte) error {
	if f == nil {
		return errNone("file of code")
	}
	if got := CodeFileOf(f.File, code); f.SHA256 != "" && got.SHA256 != f.SHA256 {
		return fmt.Errorf("%s is not the code that is described: it has %d bytes with the SHA-256 %s, and the description says %d bytes with %s; build both anew",
			f.File, got.Bytes, got.SHA256, f.Bytes, f.SHA256)
	}
	return nil
}

// Argument is a parameter with its offset in the memory that holds all arguments of a launch.
type Argument struct {
	Parameter
	// Offset is where it begins, and Bytes its size, both in bytes.
	Offset uint32 `json:"offset"`
	Bytes  uint32 `json:"bytes"`
}

// ArgumentsOf lays out parameters of the kernel. Addresses and object handles have 8 bytes and
// other scalars 4, each at a multiple of its size. Immediates and values are aligned to 16, and
// tensor maps to 64 (PTX ISA, "Kernel Function Parameters"; LLVM, User Guide for AMDGPU Backend,
// "Kernel Argument Segment"). The result is nil if the list is.
func (k *Kernel) ArgumentsOf(parameters []Parameter) []Argument {
	if k == nil || parameters == nil {
		return nil
	}
	list, end := make([]Argument, len(parameters)), uint32(0)
	for n, p := range parameters {
		bytes, align := uint32(4), uint32(4)
		switch {
		case p.Kind == ImmediatesParameter:
			bytes, align = uint32(k.ImmediateBytes()), 16
		case p.Kind == ValueParameter:
			bytes, align = k.Bindings[p.Binding].Size, 16
		case p.Kind == TensorMapParameter:
			bytes, align = TensorMapBytes, TensorMapAlignment
		case p.Kind == AddressParameter || p.Kind.OfObjects():
			bytes, align = 8, 8
		}
		list[n] = Argument{Parameter: p, Offset: (end + align - 1) &^ (align - 1), Bytes: bytes}
		end = list[n].Offset + bytes
	}
	return list
}

// AddressAlignment is the alignment of the address of each buffer, in bytes, where kernels take
// addresses: PTX and AMDGPU code declares it. OffsetAlignment is the minimum for all other targets;
// devices may require more.
const (
	AddressAlignment = 16
	OffsetAlignment  = 4
)

// StaticWorkgroupBytes is the workgroup memory that a PTX kernel may declare (CUDA C++ Programming
// Guide, "Shared Memory": more than 48 KB per block is dynamic). A launch requests the size where a
// kernel needs more.
const StaticWorkgroupBytes = 48 << 10

// RequestedBytes is the workgroup memory that a launch has to request where code may declare so
// many bytes itself.
func (k *Kernel) RequestedBytes(static uint32) uint32 {
	switch {
	case k == nil:
		return 0
	case k.DynamicBytes == 0 && k.WorkgroupBytes > static:
		return k.WorkgroupBytes
	}
	return k.DynamicBytes
}

// Demands are what a program that launches a kernel through the interface of its target has to
// provide.
type Demands struct {
	// Alignment is the alignment of each bound buffer in bytes: of its address, or of its offset in
	// the object that is bound. A device may require more.
	Alignment uint32 `json:"alignment"`
	// Exclusive are indices in Bindings, and ExclusiveHandles in Handles, of what the kernel
	// writes. The buffer bound there must share no byte, and the texture no level, with anything
	// else that the launch binds: the code relies on it ("Restrict").
	Exclusive        []int `json:"exclusive,omitempty"`
	ExclusiveHandles []int `json:"exclusiveHandles,omitempty"`
	// Provided are the bindings that the source does not have, in their order: buffers that the
	// launching program makes.
	Provided []Provided `json:"provided,omitempty"`
	// DynamicWorkgroupBytes is the workgroup memory that a launch of a PTX kernel has to request, 0
	// where the code declares it.
	DynamicWorkgroupBytes uint32 `json:"dynamicWorkgroupBytes,omitempty"`
	// Vulkan is there for SPIR-V.
	Vulkan *Vulkan `json:"vulkan,omitempty"`
}

// Role says what a binding that the source does not have is for.
type Role string

// The roles.
const (
	MessagesRole Role = "messages" // see Messages; zeros before the first launch
	FaultRole    Role = "fault"    // see Fault; zeros before the first launch
	ScratchRole  Role = "scratch"  // see Scratch; any contents
	TablesRole   Role = "tables"   // see Kernel.Tables, which it holds
)

// Provided is a binding that the launching program provides beside those of the source.
type Provided struct {
	// Binding is its index in Kernel.Bindings.
	Binding int  `json:"binding"`
	Role    Role `json:"role"`
	// Bytes is the size of the buffer, 0 where the launch decides: that of messages is how much
	// they may take, that of scratch memory follows from the grid.
	Bytes int `json:"bytes,omitempty"`
}

// DemandsOf returns the demands of a kernel's code for a target, except those that follow from the
// code alone (Demands.Vulkan).
func DemandsOf(target Target, k *Kernel) Demands {
	d := Demands{Alignment: OffsetAlignment}
	if k == nil {
		return d
	}
	switch target {
	case PTX:
		d.Alignment = AddressAlignment
		d.DynamicWorkgroupBytes = k.RequestedBytes(StaticWorkgroupBytes)
	case AMDGPU:
		d.Alignment = AddressAlignment
	}
	for n := range k.Bindings {
		if k.Bindings[n].Access == ReadWrite {
			d.Exclusive = append(d.Exclusive, n)
		}
	}
	for n := range k.Handles {
		if t := k.Handles[n].Texture; t != nil && t.Written() {
			d.ExclusiveHandles = append(d.ExclusiveHandles, n)
		}
	}
	messages, fault, scratch, tables := k.Hidden()
	for _, p := range [...]Provided{{messages, MessagesRole, 0}, {fault, FaultRole, FaultRecordBytes}, {scratch, ScratchRole, 0}, {tables, TablesRole, len(k.Tables)}} {
		if p.Binding >= 0 {
			d.Provided = append(d.Provided, p)
		}
	}
	return d
}

// Vulkan is what a SPIR-V kernel requires of a Vulkan device, in the names of its interface.
type Vulkan struct {
	// Version is the lowest version of Vulkan whose devices take the code, given the Extensions.
	Version string `json:"version"`
	// Extensions have to be enabled on devices of versions that do not include them.
	Extensions []VulkanExtension `json:"extensions,omitempty"`
	// Features have to be enabled.
	Features []VulkanFeature `json:"features,omitempty"`
	// Properties are members of property structures that have to be true for strict arithmetic. A
	// host whose device lacks one removes the execution mode and the capability from the module, as
	// gpuc's runtime does.
	Properties []VulkanFeature `json:"properties,omitempty"`
	// SubgroupOperations are bits that VkPhysicalDeviceSubgroupProperties::supportedOperations has
	// to have.
	SubgroupOperations []string `json:"subgroupOperations,omitempty"`
	// Descriptors are the bindings of the descriptor set layouts: first the kernel's Bindings in
	// their order, then its Handles.
	Descriptors []VulkanDescriptor `json:"descriptors"`
	// PushConstants is the range of the pipeline's layout, nil if there is none. The immediates are
	// its first bytes.
	PushConstants *VulkanRange `json:"pushConstants,omitempty"`
}

// VulkanExtension is a device extension.
type VulkanExtension struct {
	Name string `json:"name"`
	// Core is the version of Vulkan that includes it, or "" if none does.
	Core string `json:"core,omitempty"`
}

// FusedConstant is the ID of the specialisation constant (u32) that strict modules with fma have.
// It may be set to 1 if Fma of the device rounds once; otherwise the module computes fma with
// integers.
const FusedConstant = 0

// VulkanFeature is a member of a structure of features or properties.
type VulkanFeature struct {
	Structure string `json:"structure"`
	Member    string `json:"member"`
}

// VulkanDescriptor is one descriptor, for the compute stage.
type VulkanDescriptor struct {
	Set     uint32 `json:"set"`
	Binding uint32 `json:"binding"`
	Type    string `json:"type"`
}

// VulkanRange is a range of push constants, in bytes.
type VulkanRange struct {
	Offset uint32 `json:"offset"`
	Size   uint32 `json:"size"`
}

// PushConstantBytes is the size of the push constants of a SPIR-V kernel, 0 if it has none: code
// may declare immediates as whole vectors.
func (k *Kernel) PushConstantBytes() uint32 { return uint32(k.ImmediateBytes()+15) &^ 15 }

// Marshal returns the JSON of the description, as package encoding/json writes it with an indent of
// two spaces and without HTML escapes.
func (d *Description) Marshal() ([]byte, error) {
	if d == nil {
		return nil, errNone("description")
	}
	return appendValue(make([]byte, 0, 1<<10), reflect.ValueOf(d).Elem(), "\n")
}

// UnmarshalDescription reads the JSON of a description of any version up to DescriptionVersion.
func UnmarshalDescription(data []byte) (*Description, error) {
	d := new(Description)
	if err := json.Unmarshal(data, d); err != nil {
		return nil, fmt.Errorf("description of a kernel: %w", err)
	}
	d.Version = cmp.Or(d.Version, 1)
	if d.Version < 0 || d.Version > DescriptionVersion {
		return nil, fmt.Errorf("description of a kernel: it is of version %d, and this gpuc reads versions up to %d; read it with a newer gpuc, or build it anew with this one",
			d.Version, DescriptionVersion)
	}
	if err := d.complete(); err != nil {
		return nil, err
	}
	d.Kernel.Parameters = parametersIn(d.Parameters)
	return d, nil
}

// complete reports a missing member that a description of its version must have.
func (d *Description) complete() error {
	newer := d.Version > 1
	for _, member := range [...]struct {
		name    string
		missing bool
	}{
		{"name", d.Name == ""},
		{"workgroup", slices.Contains(d.Workgroup[:], 0)},
		{"bindings", d.Bindings == nil},
		{"target", newer && d.Target == ""},
		{"code.file", newer && d.Code.File == ""},
		{"code.sha256", newer && d.Code.SHA256 == ""},
	} {
		if member.missing {
			return fmt.Errorf("description of a kernel: version %d has to say %s, and this one does not; build it anew", d.Version, member.name)
		}
	}
	if newer && !isFileName(d.Code.File) {
		return fmt.Errorf("description of a kernel: %q is no name of a file in its folder", d.Code.File)
	}
	return d.Tensor.complete()
}

// isFileName reports whether a name is that of a file in the same folder on all systems, and leads
// nowhere else.
func isFileName(name string) bool {
	return name != "" && name == path.Base(name) && name[0] != '.' && !strings.ContainsAny(name, `/\:`)
}

// Unmarshal reads what a description, of any version, says of the kernel.
func Unmarshal(data []byte) (*Kernel, error) {
	d, err := UnmarshalDescription(data)
	if err != nil {
		return nil, err
	}
	return &d.Kernel, nil
}
