// Command variables counts the function variables and loads in the SPIR-V that
// gpuc, with and without its passes, and gogpu/naga make of each file, and
// writes a table of them to standard output.
//
//	cd testdata/benchmarks/compile && go run ./variables ../../exec/*.wgsl
package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gogpu/naga"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/spirv"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// The opcodes and the storage class that are counted (SPIR-V §3.49).
const (
	opVariable    = 59
	opLoad        = 61
	classFunction = 7
)

type counts struct {
	variables, loads int
	ok               bool
}

// count adds up a module's function variables and loads.
func (c *counts) count(code []byte) {
	c.ok = true
	for at := 20; at+4 <= len(code); {
		word := binary.LittleEndian.Uint32(code[at:])
		switch word & 0xFFFF {
		case opVariable:
			if binary.LittleEndian.Uint32(code[at+12:]) == classFunction {
				c.variables++
			}
		case opLoad:
			c.loads++
		}
		at += int(word>>16) * 4
	}
}

func ours(name, text string, plain bool) (c counts, err error) {
	var set source.Set
	var list diag.List
	file, err := set.Add(name, text)
	if err != nil {
		return c, err
	}
	m, err := frontend.Load(&set, file, frontend.Options{}, &list)
	if err != nil || m == nil {
		return c, fmt.Errorf("%s does not load: %v", name, err)
	}
	o := codegen.Options{NoOptimize: plain}
	for i := range m.Overrides { // those without a default need some value
		if name := m.Overrides[i].Name; name != "" {
			o.Settings = append(o.Settings, ir.Setting{Key: name, Value: 1})
		}
	}
	for _, k := range m.Kernels() {
		a := codegen.Compile(m, k.Name, &spirv.Target, &o, &list)
		if a == nil {
			return c, fmt.Errorf("%s does not compile: %s", name, list.Items()[0].Message)
		}
		c.count(a.Code)
	}
	return c, nil
}

func peers(text string) (c counts) {
	defer func() { _ = recover() }()
	code, err := naga.Compile(text)
	if err == nil {
		c.count(code)
	}
	return c
}

func (c counts) String() string {
	if !c.ok {
		return "refused | refused"
	}
	return fmt.Sprintf("%d | %d", c.variables, c.loads)
}

func main() {
	fmt.Print("# What the passes leave\n\nFunction variables and loads in the SPIR-V of each exec kernel, all entry points together: by gpuc, by gpuc\n" +
		"with `-O0`, and by gogpu/naga v0.18.0, which does not optimise. What is still a variable is an array that is\n" +
		"indexed dynamically. gpuc's loads include those that `robust` bounds need.\n\n" +
		"| kernel | variables | loads | -O0 variables | -O0 loads | naga variables | naga loads |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	var sum [3]counts
	for _, name := range os.Args[1:] {
		data, err := os.ReadFile(name)
		if err == nil {
			base := filepath.Base(name)
			var c [3]counts
			if c[0], err = ours(base, string(data), false); err == nil {
				c[1], err = ours(base, string(data), true)
			}
			c[2] = peers(string(data))
			fmt.Printf("| %s | %v | %v | %v |\n", base, c[0], c[1], c[2])
			for i := range sum {
				if c[2].ok { // only what all compile is comparable
					sum[i].variables += c[i].variables
					sum[i].loads += c[i].loads
					sum[i].ok = true
				}
			}
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	fmt.Printf("| **all that naga compiles** | %v | %v | %v |\n", sum[0], sum[1], sum[2])
}
