// Package tuning has what was measured about kernels, in files that packages ship and that programs
// keep, and measures within a budget of time. Programs call package gpu and generated functions.
//
//	record.go   records, and their lines in files
//	choose.go   the record that applies to a kernel on a device
//	folder.go   the files that programs keep in the user's folder
//	contest.go  measuring candidates within a budget
//	step.go     the steps of a clock
//	sizes.go    which device is the fastest from which size on, and its lines in files
//	search.go   measuring that
//	session.go  what `gpuc tune` and the tests that it runs tell each other
//
// A file has a line of JSON for each record, sorted. It has no times of day, so equal measurements
// make equal bytes. A line that is damaged or foreign is reported and ignored, never fatal.
package tuning

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// File is the name of a package's file, which `gpuc tune` writes and the package embeds.
const File = "gpuc_tuning.jsonl"

// Format is the version of the lines.
const Format = 1

// Device says what was measured on.
type Device struct {
	Name string `json:"device"` // as the driver reports it
	// Profile is the kind of device that code is compiled for, such as "sm_90".
	Profile string `json:"profile"`
	Driver  string `json:"driver"` // with its version
}

// Problem says how much a launch computes.
type Problem struct {
	// Grid is the grid of the variant with the package's own values: items, or workgroups.
	Grid  [3]uint32 `json:"grid"`
	Items bool      `json:"items,omitempty"`
	// Lengths are those of the buffers, in elements.
	Lengths []int `json:"lengths"`
}

// String returns "64 x 64 x 1 items, 2 buffers of 4096 elements", or with several lengths "buffers
// of 4096, 1 elements".
func (p Problem) String() string {
	what := "workgroups"
	if p.Items {
		what = "items"
	}
	text := fmt.Sprintf("%d x %d x %d %s", p.Grid[0], p.Grid[1], p.Grid[2], what)
	if len(p.Lengths) == 0 {
		return text
	}
	first, elements := p.Lengths[0], "elements"
	if slices.Max(p.Lengths) == 1 {
		elements = "element"
	}
	switch n := len(p.Lengths); {
	case n == 1:
		return fmt.Sprintf("%s, a buffer of %d %s", text, first, elements)
	case slices.Min(p.Lengths) == slices.Max(p.Lengths):
		return fmt.Sprintf("%s, %d buffers of %d %s", text, n, first, elements)
	}
	return text + ", buffers of " + strings.Trim(strings.ReplaceAll(fmt.Sprint(p.Lengths), " ", ", "), "[]") + " " + elements
}

func (p Problem) compare(o Problem) int {
	flag := func(items bool) int {
		if items {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(flag(p.Items), flag(o.Items)), slices.Compare(p.Grid[:], o.Grid[:]), slices.Compare(p.Lengths, o.Lengths))
}

// Times are the least, the median and the greatest of several measurements, in nanoseconds.
type Times [3]time.Duration

// Measured is a variant of a kernel with its measurements.
type Measured struct {
	Values []int `json:"values"`
	// Times are those of one launch. All are 0 if the variant was not measured, because the device
	// refuses it or the budget ended.
	Times Times `json:"ns"`
	// Samples is the number of measurements.
	Samples int `json:"samples,omitempty"`
	// Failure says why the device does not run the variant, or is "".
	Failure string `json:"failure,omitempty"`
}

// Compared reports whether it is known which of several variants is the fastest: at least two were
// measured, or the device refuses all others.
func Compared(list []Measured) bool {
	known, missing := 0, 0
	for _, m := range list {
		switch {
		case m.Known():
			known++
		case m.Failure == "":
			missing++
		}
	}
	return known >= 2 || known == 1 && missing == 0
}

// Known reports whether the variant was measured.
func (m Measured) Known() bool { return m.Times[1] > 0 }

// Record is what was measured about a kernel on a device for a problem.
type Record struct {
	Format  int    `json:"tuning"`
	Package string `json:"package"`
	Kernel  string `json:"kernel"`
	// Code is a digest of the kernel with all that it calls, in all variants. A record of other
	// code does not apply.
	Code string `json:"code"`
	Device
	Problem
	// Constants are the tuned constants, and Best their values in the fastest variant.
	Constants []string   `json:"constants"`
	Best      []int      `json:"best"`
	Measured  []Measured `json:"measured"`
	// File and Line say where the record was read; lines count from 1.
	File string `json:"-"`
	Line int    `json:"-"`
}

// compare orders records in files: by what they are about.
func (r *Record) compare(o *Record) int {
	return cmp.Or(strings.Compare(r.Package, o.Package), strings.Compare(r.Kernel, o.Kernel), strings.Compare(r.Name, o.Name), strings.Compare(r.Profile, o.Profile),
		strings.Compare(r.Driver, o.Driver), r.Problem.compare(o.Problem), strings.Compare(r.Code, o.Code))
}

// wrong says why a record is none that this package makes, or "".
func (r *Record) wrong() string {
	switch {
	case r.Format != Format:
		return fmt.Sprintf("it is of format %d, and this gpuc reads format %d", r.Format, Format)
	case slices.Contains([]string{r.Package, r.Kernel, r.Code, r.Name, r.Profile, r.Driver}, ""):
		return "it lacks a package, kernel, code, device, profile or driver"
	case len(r.Constants) == 0 || len(r.Best) != len(r.Constants):
		return "it has not one best value for each constant"
	case slices.ContainsFunc(r.Lengths, func(n int) bool { return n < 0 }):
		return "it has a negative length"
	}
	found := false
	for n, m := range r.Measured {
		switch {
		case len(m.Values) != len(r.Constants):
			return "it has not one value for each constant"
		case m.Times[0] < 0 || !slices.IsSorted(m.Times[:]) || m.Known() != (m.Samples > 0) || m.Known() && m.Failure != "":
			return "its times are not in order, or do not belong to samples"
		case slices.ContainsFunc(r.Measured[:n], func(o Measured) bool { return slices.Equal(o.Values, m.Values) }):
			return "it has a variant twice"
		}
		found = found || m.Known() && slices.Equal(m.Values, r.Best)
	}
	if !found {
		return "its best variant was not measured"
	}
	return ""
}

// Fault is a line of a file that is ignored.
type Fault struct {
	File string
	Line int // from 1, or 0 for the whole file
	Why  string
}

// String returns the fault as compilers print one: file, line, reason.
func (f Fault) String() string {
	if f.Line == 0 {
		return fmt.Sprintf("%s is ignored: %s", f.File, f.Why)
	}
	return fmt.Sprintf("%s:%d is ignored: %s", f.File, f.Line, f.Why)
}

// NoteOf joins faults and what else is wrong with a file, or returns "".
func NoteOf(faults []Fault, note string) string {
	var list []string
	for _, f := range faults {
		list = append(list, f.String())
	}
	if note != "" {
		list = append(list, note)
	}
	return strings.Join(list, "; ")
}

// maxLine is the size in bytes from which on a line is no record: more than 32 variants take.
const maxLine = 64 << 10

// readLines calls read for each line of a file that is not empty. It collects what read returns as
// faults.
func readLines(file, text string, read func(line string, number int) (why string)) (faults []Fault) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		why := "it is longer than any record"
		if len(line) <= maxLine {
			why = read(line, number)
		}
		if why != "" {
			faults = append(faults, Fault{file, number, why})
		}
	}
	return faults
}

// unmarshal reads a line of JSON without unknown members or anything after it.
func unmarshal(line string, to any) error {
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if d.More() {
		return fmt.Errorf("there is more after its end")
	}
	return nil
}

// Parse reads the records of a package from a file's text. An empty package takes those of all.
func Parse(file, text, of string) (records []Record, faults []Fault) {
	faults = readLines(file, text, func(line string, number int) string {
		var r Record
		if err := unmarshal(line, &r); err != nil {
			return "it is damaged: " + err.Error()
		}
		r.File, r.Line = file, number
		if why := r.wrong(); why != "" {
			return why
		}
		if of != "" && r.Package != of {
			return fmt.Sprintf("it is about package %s, and the file belongs to %s", r.Package, of)
		}
		if n := slices.IndexFunc(records, func(o Record) bool { return o.compare(&r) == 0 }); n >= 0 {
			return fmt.Sprintf("line %d is about the same", records[n].Line)
		}
		records = append(records, r)
		return ""
	})
	return records, faults
}

// marshalLine returns a value as a line of JSON.
func marshalLine(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // records consist of numbers and strings
	}
	return b.Bytes()
}

// Text returns the text of a file with records, sorted. Equal sets make equal texts.
func Text(records []Record) []byte {
	sorted := slices.Clone(records)
	slices.SortStableFunc(sorted, func(a, b Record) int { return a.compare(&b) })
	var text []byte
	for n := range sorted {
		sorted[n].Format = Format
		text = append(text, marshalLine(&sorted[n])...)
	}
	return text
}

// Merge returns records with others added, which replace those about the same. Records of the
// added kernels that are about other code go.
func Merge(records, added []Record) []Record {
	replaced := func(r Record) bool {
		return slices.ContainsFunc(added, func(a Record) bool {
			return r.compare(&a) == 0 || r.Package == a.Package && r.Kernel == a.Kernel && r.Code != a.Code
		})
	}
	return append(slices.DeleteFunc(slices.Clone(records), replaced), added...)
}

// Recognise reports whether a file can be one of records, so that another one is not overwritten.
func Recognise(contents []byte) bool {
	return len(bytes.TrimSpace(contents)) == 0 || bytes.HasPrefix(contents, []byte(`{"tuning":`))
}
