package launch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/frontend/gokernel"
)

// This file writes what only launchers of kernels with tuned constants have. A structure names a
// variant, with an int field for each constant, where 0 is the package's own value. It is the last
// argument of launchers. Two functions find the fastest variant.

func (l *launcher) isTuned() bool { return len(l.k.Tuned) > 0 }

// variantsOf returns the variants of an instance: itself, if there are no tuned constants.
func (l *launcher) variantsOf(i *gokernel.Signature) []*gokernel.Signature {
	if len(i.Tuned) == 0 {
		return []*gokernel.Signature{i}
	}
	return l.variants[i.Base]
}

// declareVariants writes the structure, and the list of variants of each instance.
func (l *launcher) declareVariants() {
	all := l.variantsOf(l.instances[0])
	fmt.Fprintf(&l.body, "\n// %s names a variant of %s by the values of its tuned constants. 0 means the package's own value,\n// and the zero value is the variant with these.\ntype %s struct {\n", l.Variant, l.k.Function, l.Variant)
	for n, c := range l.k.Tuned {
		var values []int64
		for _, v := range all {
			values = append(values, v.Tuned[n].Value)
		}
		slices.Sort(values)
		values = slices.Compact(values)
		text := fmt.Sprint(values[0])
		for n, value := range values[1:] {
			between := ", "
			if n == len(values)-2 {
				between = " or "
			}
			text += fmt.Sprint(between, value)
		}
		fmt.Fprintf(&l.body, "\t%s int // %s; the package's own is %d\n", gokernel.FieldOf(c.Name), text, c.Value)
	}
	l.body.WriteString("}\n")
	for _, i := range l.instances {
		var constants []string
		for _, c := range i.Tuned {
			constants = append(constants, fmt.Sprintf("%q", gokernel.FieldOf(c.Name)))
		}
		differ := ""
		if slices.ContainsFunc(l.variantsOf(i), func(v *gokernel.Signature) bool { return v.Workgroup != i.Workgroup }) {
			differ = " SizesDiffer: true,"
		}
		records := ""
		if l.embedsRecords() {
			records = " Records: " + gokernel.RecordsName + ","
		}
		fmt.Fprintf(&l.body, "\nvar %s = %s.Variants{Package: %q, Kernel: %q, Code: %q,%s Constants: []string{%s},%s List: []%s.Variant{\n",
			gokernel.NamesOf(i.Name).Variants, l.gen, l.p.Path, i.Name, l.records.Codes[i.Name], records, strings.Join(constants, ", "), differ, l.gen)
		for _, v := range l.variantsOf(i) {
			var values []string
			for _, c := range v.Tuned {
				values = append(values, fmt.Sprint(c.Value))
			}
			fmt.Fprintf(&l.body, "\t{Values: []int{%s}, Embedded: &%s},\n", strings.Join(values, ", "), gokernel.NamesOf(v.Name).Embedded)
		}
		l.body.WriteString("}}\n")
	}
}

// variantParameter returns the last parameter of a launcher, or "".
func (l *launcher) variantParameter() string {
	if !l.isTuned() {
		return ""
	}
	return fmt.Sprintf(", %s ...%s", l.local("variant", "variants"), l.Variant)
}

// variantRuns returns a comment line about the variant that a launcher runs, or "".
func (l *launcher) variantRuns() string {
	if !l.isTuned() {
		return ""
	}
	return " It runs the variant that is named, or the one with the package's own values."
}

func (l *launcher) sizesDiffer() bool {
	return slices.ContainsFunc(l.instances, func(i *gokernel.Signature) bool {
		return slices.ContainsFunc(l.variantsOf(i), func(v *gokernel.Signature) bool { return v.Workgroup != i.Workgroup })
	})
}

// oneVariant writes the call that reads the variant from the last parameter.
func (l *launcher) oneVariant() {
	if l.isTuned() {
		one, failed := l.local("chosen", "chosenVariant"), l.local("err", "failure")
		fmt.Fprintf(&l.body, "\t%s, %s := %s.OneVariant(%q, %s)\n\tif %s != nil {\n\t\treturn %s\n\t}\n",
			one, failed, l.gen, l.k.Function, l.local("variant", "variants"), failed, failed)
	}
}

// findVariant writes the call that finds the kernel of a variant, and returns its name.
func (l *launcher) findVariant(i *gokernel.Signature, grid string) string {
	embedded, one, failed := l.local("kernel", "embedded"), l.local("chosen", "chosenVariant"), l.local("err", "failure")
	var fields []string
	for _, c := range i.Tuned {
		fields = append(fields, one+"."+gokernel.FieldOf(c.Name))
	}
	fmt.Fprintf(&l.body, "\t%s, %s := %s.Find(%s, %s)\n\tif %s != nil {\n\t\treturn %s\n\t}\n",
		embedded, failed, gokernel.NamesOf(i.Name).Variants, grid, strings.Join(fields, ", "), failed, failed)
	return embedded
}

// tune writes the functions that measure variants, and that read back what was measured.
func (l *launcher) tune(context string) {
	ctx, stream, grid := l.local("ctx", "bound"), l.local("s", "stream"), l.local("g", "grid")
	tuning, failed, v := l.local("tuning", "measured"), l.local("err", "failure"), l.local("v", "setting")
	var from, to []string
	for n, c := range l.k.Tuned {
		from = append(from, fmt.Sprintf("%s: %s[%d]", gokernel.FieldOf(c.Name), v, n))
		to = append(to, fmt.Sprintf("%s: %s.Values[%d]", gokernel.FieldOf(c.Name), tuning, n))
	}
	body := func(call string, needsValues bool) {
		l.choose(func(i *gokernel.Signature) {
			nothing := fmt.Sprintf("%s{}, %s.Tuning{}, ", l.Variant, l.gpu)
			arguments := []string{stream, fmt.Sprintf("func(%s []int) %s.Grid { return %s(%s{%s}) }", v, l.gpu, grid, l.Variant, strings.Join(from, ", "))}
			if needsValues {
				arguments = slices.Concat([]string{ctx}, arguments, []string{l.words(i, nothing)})
			}
			arguments = append(arguments, l.buffers("%s", "%s.Buffer")...)
			fmt.Fprintf(&l.body, "\t%s, %s := %s.%s(%s)\n\tif %s != nil {\n\t\treturn %s{}, %s, %s\n\t}\n\treturn %s{%s}, %s, nil\n",
				tuning, failed, gokernel.NamesOf(i.Name).Variants, call, strings.Join(arguments, ", "), failed, l.Variant, tuning, failed,
				l.Variant, strings.Join(to, ", "), tuning)
		}, fmt.Sprintf("%s{}, %s.Tuning{}, ", l.Variant, l.gpu))
		l.body.WriteString("}\n")
	}
	fmt.Fprintf(&l.body, `
// %s measures the variants of %s on the device of %s.
// It takes up to ten seconds, or most of the time until the deadline of %s. It keeps the fastest
// one for such a grid and buffers in a file in the user's cache folder. %s returns the grid of a
// variant. Each variant runs many times, so buffers that the kernel writes do not keep their
// contents. Errors are those of gen.Variants.Tune.
func %s%s(%s %s.Context, %s *%s.Stream, %s func(%s) %s.Grid%s) (%s, %s.Tuning, error) {
`, l.Tune, l.k.Function, stream, ctx, grid, l.Tune, l.typeParameters(), ctx, context, stream, l.gpu, grid, l.Variant, l.gpu, l.parameters(l.asBuffer), l.Variant, l.gpu)
	body("Tune", true)
	fmt.Fprintf(&l.body, `
// %s returns the variant that %s found before for such a grid
// and buffers, here or on the devices that the package has records of. Else it returns the one with
// the package's own values. The gpu.Tuning says which, and why. It measures nothing. Errors are
// those of gen.Variants.TunedOf.
func %s%s(%s *%s.Stream, %s func(%s) %s.Grid%s) (%s, %s.Tuning, error) {
`, l.Tuned, l.Tune, l.Tuned, l.typeParameters(), stream, l.gpu, grid, l.Variant, l.gpu, l.parameters(l.asBuffer), l.Variant, l.gpu)
	body("TunedOf", false)
}
