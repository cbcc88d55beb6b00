package abi

import (
	"errors"
	"fmt"
)

// DescribedTensor describes the variant of PTX code that copies tiles by tensor maps (Tensor). Its
// code is in another file. What it does not say is as in the description around it.
type DescribedTensor struct {
	Code CodeFile `json:"code"`
	// Name is the entry point's in this code, and Profile that of this code.
	Name      string    `json:"name"`
	Profile   string    `json:"profile,omitempty"`
	Workgroup [3]uint32 `json:"workgroup"`
	// WorkgroupBytes is the size of the workgroup memory. A launch has to request
	// DynamicWorkgroupBytes of it.
	WorkgroupBytes        uint32 `json:"workgroupBytes"`
	DynamicWorkgroupBytes uint32 `json:"dynamicWorkgroupBytes,omitempty"`
	// Maps are the tensor maps that a launch makes.
	Maps []TensorMap `json:"maps"`
	// Parameters are those of the kernel, in their order, with their offsets.
	Parameters []Argument `json:"parameters"`
}

// Describe describes the variant, with a name for the file of its code. It is nil for one without
// an artefact.
func (t *Tensor) Describe(file string) *DescribedTensor {
	if t == nil || t.Artefact == nil {
		return nil
	}
	k := &t.Artefact.Kernel
	return &DescribedTensor{
		Code: CodeFileOf(file, t.Artefact.Code), Name: k.Name, Profile: k.Profile, Workgroup: k.Workgroup,
		WorkgroupBytes: k.WorkgroupBytes, DynamicWorkgroupBytes: k.RequestedBytes(StaticWorkgroupBytes),
		Maps: t.Maps, Parameters: k.ArgumentsOf(k.Parameters),
	}
}

// tensor returns the variant that a description describes, with its code.
func (d *Description) tensor(code []byte) (*Tensor, error) {
	v := d.Tensor
	if err := v.Code.Check(code); err != nil {
		return nil, err
	}
	k := d.Kernel
	k.Name, k.Profile, k.Workgroup, k.WorkgroupBytes, k.DynamicBytes = v.Name, v.Profile, v.Workgroup, v.WorkgroupBytes, v.DynamicWorkgroupBytes
	k.Parameters = parametersIn(v.Parameters)
	return &Tensor{v.Maps, &Artefact{Target: d.Target, Code: code, Kernel: k}}, nil
}

// complete reports a missing member of a variant.
func (v *DescribedTensor) complete() error {
	switch {
	case v == nil:
		return nil
	case v.Name == "" || v.Code.SHA256 == "" || v.Parameters == nil:
		return errors.New("description of a kernel: its tensor has to say name, code and parameters, and this one does not; build it anew")
	case !isFileName(v.Code.File):
		return fmt.Errorf("description of a kernel: %q is no name of a file in its folder", v.Code.File)
	}
	return nil
}

// parametersIn returns arguments without their offsets; nil for nil.
func parametersIn(list []Argument) []Parameter {
	if list == nil {
		return nil
	}
	parameters := make([]Parameter, len(list))
	for n := range list {
		parameters[n] = list[n].Parameter
	}
	return parameters
}
