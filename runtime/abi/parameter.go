// The parameters of PTX and AMD kernels: which there can be, in which order, and how a
// description says which a kernel has.

package abi

import "fmt"

// ParameterKind says what a parameter of a PTX or AMD kernel holds; the types are PTX's. AMD's have as many bytes, each at a
// multiple of its size, the immediates at one of 16.
type ParameterKind string

// The kinds of parameters.
const (
	AddressParameter    ParameterKind = "address"    // .u64, a binding's device address
	BytesParameter      ParameterKind = "bytes"      // .u32, a binding's size in bytes, at most 2^32-1
	LengthParameter     ParameterKind = "length"     // .u32, Binding.Length
	ImmediatesParameter ParameterKind = "immediates" // .b8[], the immediates
)

// Parameter is a parameter of a PTX or AMD kernel.
type Parameter struct {
	Kind ParameterKind `json:"kind"`
	// Binding is a place in Kernel.Bindings, 0 for the immediates.
	Binding int `json:"binding"`
}

// AllParameters returns each parameter that a PTX kernel of this description can have.
// Those that it has come in this order: addresses, sizes, and lengths of runtime-sized
// arrays, each in the order of Bindings, then the immediates. Bindings of all kinds of
// access are addresses.
func (k *Kernel) AllParameters() []Parameter {
	all := make([]Parameter, 0, 3*len(k.Bindings)+1)
	for _, kind := range [...]ParameterKind{AddressParameter, BytesParameter, LengthParameter} {
		for n := range k.Bindings {
			if kind != LengthParameter || k.Bindings[n].Stride != 0 {
				all = append(all, Parameter{kind, n})
			}
		}
	}
	if k.ImmediateBytes() > 0 {
		all = append(all, Parameter{Kind: ImmediatesParameter})
	}
	return all
}

// PassedParameters returns what a launch of a PTX kernel passes. A description without
// Parameters was written when kernels had all. It fails if the description names a
// parameter that there cannot be, one twice, or another order.
func (k *Kernel) PassedParameters() ([]Parameter, error) {
	all := k.AllParameters()
	if k.Parameters == nil {
		return all, nil
	}
	next := 0
	for n, p := range k.Parameters {
		for next < len(all) && all[next] != p {
			next++
		}
		if next == len(all) {
			return nil, fmt.Errorf("the description's parameter %d, %s of binding %d, is none that the kernel can have there", n, p.Kind, p.Binding)
		}
		next++
	}
	return k.Parameters, nil
}
