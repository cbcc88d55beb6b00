package gogen

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/outfile"
	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/frontend/gokernel/launch"
	"github.com/gpuc/gpuc/runtime/tuning"
)

// This file is about the records of tuning that a package ships: what they belong to, and the file.

var recordsFile = outfile.Kind{Recognise: tuning.Recognise, Foreign: "gpuc tune did not make it"}

// tunedKernel is a kernel with its variants, the one with the package's own values first.
type tunedKernel struct {
	*gokernel.Signature
	code     string
	variants []*gokernel.Kernel
}

// codeBytes is how much of a digest tells the versions of a kernel apart.
const codeBytes = 8

// tunedKernels returns the kernels of a package that have tuned constants. The code of one is a
// digest of its IR in all variants and of the options that change it. The version of gpuc is not
// part of it: records outlive it as long as kernels are the same.
func tunedKernels(p *gokernel.Package, o genOptions) (list []tunedKernel) {
	for n := range p.Kernels {
		k := &p.Kernels[n]
		if len(k.Tuned) == 0 {
			continue
		}
		at := slices.IndexFunc(list, func(t tunedKernel) bool { return t.Name == k.Base })
		switch {
		case k.Name == k.Base && at < 0:
			list = append(list, tunedKernel{Signature: &k.Signature, variants: []*gokernel.Kernel{k}})
		case at >= 0:
			list[at].variants = append(list[at].variants, k)
		}
	}
	for n := range list {
		h := sha256.New()
		fmt.Fprintln(h, o.math, o.bounds)
		for _, v := range list[n].variants {
			fmt.Fprintln(h, v.Name)
			writeSource(h, v.Module, o.debug)
		}
		list[n].code = hex.EncodeToString(h.Sum(nil)[:codeBytes])
	}
	return list
}

// named returns values of the tuned constants: "Tile=8 Unroll=2".
func (k *tunedKernel) named(values []int) string {
	var list []string
	for n, c := range k.Tuned {
		if n < len(values) {
			list = append(list, fmt.Sprintf("%s=%d", gokernel.FieldOf(c.Name), values[n]))
		}
	}
	return strings.Join(list, " ")
}

// own returns the package's own values.
func (k *tunedKernel) own() (values []int) {
	for _, c := range k.Tuned {
		values = append(values, int(c.Value))
	}
	return values
}

// records returns what the launchers of a package know of tuning.
func (g *generation) records(p *gokernel.Package, o genOptions) launch.Records {
	r := launch.Records{Codes: map[string]string{}}
	for _, k := range tunedKernels(p, o) {
		r.Codes[k.Name] = k.code
	}
	if info, err := os.Stat(filepath.Join(p.Folder, tuning.File)); err == nil && info.Mode().IsRegular() {
		r.File = tuning.File
	}
	return r
}

// readRecords reads the file of a package.
func (g *generation) readRecords(p *gokernel.Package) []tuning.Record {
	path := filepath.Join(p.Folder, tuning.File)
	text, err := os.ReadFile(path)
	if err != nil {
		if !os.IsNotExist(err) {
			fmt.Fprintf(g.Stderr, "warning: cannot read %s: %v\n", g.displayName(path), err)
		}
		return nil
	}
	records, faults := tuning.Parse(g.displayName(path), string(text), p.Path)
	g.warn(faults)
	return records
}

// warn says which lines are ignored.
func (g *generation) warn(faults []tuning.Fault) {
	for _, f := range faults {
		fmt.Fprintf(g.Stderr, "warning: %v\n", f)
	}
}
