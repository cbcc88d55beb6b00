package tuning

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpuc/gpuc/runtime/kernelcache"
)

var (
	h200  = Device{"NVIDIA H200", "sm_90", "cuda, CUDA 12.8"}
	newer = Device{"NVIDIA H200", "sm_90", "cuda, CUDA 13.0"}
	h100  = Device{"NVIDIA H100", "sm_90", "cuda, CUDA 12.8"}
	cpu   = Device{"Zen", "cpu, subgroups of 8", "cpu, gpuc"}
)

// square is a problem of n by n items and a buffer of as many elements.
func square(n int) Problem {
	return Problem{Grid: [3]uint32{uint32(n), uint32(n), 1}, Items: true, Lengths: []int{n * n}}
}

// record is a valid record, whose best variant is tile.
func record(kernel string, d Device, p Problem, code string, tile int) Record {
	r := Record{Format: Format, Package: "example.com/k", Kernel: kernel, Code: code, Device: d, Problem: p, Constants: []string{"Tile"}, Best: []int{tile}}
	for _, values := range []int{8, 16, 32} {
		m := Measured{Values: []int{values}, Times: Times{900, 1000, 1100}, Samples: 9}
		if values == tile {
			m.Times = Times{400, 500, 600}
		}
		r.Measured = append(r.Measured, m)
	}
	return r
}

// TestLine shows the form of a line.
func TestLine(t *testing.T) {
	r := record("MatMul", h200, square(64), "5b2e", 32)
	r.Measured = append(r.Measured, Measured{Values: []int{64}, Failure: "a < b"}, Measured{Values: []int{128}})
	const want = `{"tuning":1,"package":"example.com/k","kernel":"MatMul","code":"5b2e","device":"NVIDIA H200","profile":"sm_90","driver":"cuda, CUDA 12.8",` +
		`"grid":[64,64,1],"items":true,"lengths":[4096],"constants":["Tile"],"best":[32],"measured":[` +
		`{"values":[8],"ns":[900,1000,1100],"samples":9},{"values":[16],"ns":[900,1000,1100],"samples":9},{"values":[32],"ns":[400,500,600],"samples":9},` +
		`{"values":[64],"ns":[0,0,0],"failure":"a < b"},{"values":[128],"ns":[0,0,0]}]}` + "\n"
	if got := string(Text([]Record{r})); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if !Recognise([]byte(want)) || !Recognise(nil) || Recognise([]byte("notes\n")) {
		t.Error("other files are taken for records, or records are not")
	}
}

// TestRoundTrip: what is written is read back, and neither the order of records nor line ends of
// Windows matter.
func TestRoundTrip(t *testing.T) {
	var records []Record
	for _, kernel := range []string{"MatMul", "Add"} {
		for _, d := range []Device{h200, newer, h100, cpu} {
			for _, n := range []int{64, 1024} {
				records = append(records, record(kernel, d, square(n), "5b2e", 16))
			}
		}
	}
	text := Text(records)
	random := rand.New(rand.NewPCG(1, 2))
	for range 8 {
		random.Shuffle(len(records), func(a, b int) { records[a], records[b] = records[b], records[a] })
		if !bytes.Equal(Text(records), text) {
			t.Fatal("the order of records changes the text")
		}
	}
	for _, form := range []string{string(text), strings.ReplaceAll(string(text), "\n", "\r\n"), "\n" + strings.ReplaceAll(string(text), "\n", "\n\n")} {
		read, faults := Parse(File, form, "example.com/k")
		if len(read) != len(records) || len(faults) != 0 {
			t.Fatalf("%d records, want %d: %v", len(read), len(records), faults)
		}
		if again := Text(read); !bytes.Equal(again, text) {
			t.Error(cmp.Diff(string(text), string(again)))
		}
	}
	if read, _ := Parse(File, string(text), ""); read[0].Kernel != "Add" || read[0].File != File || read[2].Line != 3 {
		t.Errorf("the first is %+v", read[0])
	}
}

// TestFaults: a line that is damaged or foreign is named with file and line, and the others count.
func TestFaults(t *testing.T) {
	good := string(Text([]Record{record("MatMul", h200, square(64), "5b2e", 32)}))
	with := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the line has no %s", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	for name, test := range map[string]struct{ line, why string }{
		"half a line":          {good[:len(good)/2] + "\n", "damaged: unexpected EOF"},
		"a mark of git":        {"<<<<<<< HEAD\n", "damaged: invalid character"},
		"two in a line":        {strings.TrimSpace(good) + good, "more after its end"},
		"another format":       {with(`"tuning":1`, `"tuning":2`), "it is of format 2, and this gpuc reads format 1"},
		"unknown":              {with(`"items":true`, `"item":true`), `unknown field "item"`},
		"another package":      {with("example.com/k", "example.com/other"), `about package example.com/other, and the file belongs to example.com/k`},
		"no code":              {with("5b2e", ""), "lacks a package, kernel, code"},
		"best is not measured": {with(`"best":[32]`, `"best":[64]`), "its best variant was not measured"},
		"best of two":          {with(`"best":[32]`, `"best":[32,1]`), "not one best value for each constant"},
		"values":               {with(`"values":[8]`, `"values":[8,8]`), "not one value for each constant"},
		"twice":                {with(`"values":[8]`, `"values":[16]`), "a variant twice"},
		"times":                {with("[900,1000,1100]", "[900,1000,100]"), "times are not in order"},
		"no samples":           {with(`,"samples":9`, ""), "do not belong to samples"},
		"a huge number":        {with("[900,1000,1100]", "[900,1000,1e30]"), "damaged"},
		"a length":             {with(`"lengths":[4096]`, `"lengths":[-1]`), "negative length"},
		"a long line":          {with("5b2e", strings.Repeat("5", maxLine)), "longer than any record"},
	} {
		other := record("Other", h200, square(64), "5b2e", 32)
		records, faults := Parse("some.jsonl", test.line+string(Text([]Record{other}))+good+good, "example.com/k")
		if len(records) != 2 || records[0].Kernel != "Other" || records[1].Line != 3 {
			t.Errorf("%s: got %d records", name, len(records))
			continue
		}
		if len(faults) != 2 || !strings.HasPrefix(faults[0].String(), "some.jsonl:1 is ignored: ") || !strings.Contains(faults[0].Why, test.why) {
			t.Errorf("%s: got %v, want %q", name, faults, test.why)
		}
		if faults[1].String() != "some.jsonl:4 is ignored: line 3 is about the same" {
			t.Errorf("%s: got %v", name, faults[1])
		}
	}
}

// FuzzParse: whatever a file holds, what is read of it is written and read back the same.
func FuzzParse(f *testing.F) {
	good := string(Text([]Record{record("MatMul", h200, square(64), "5b2e", 32), record("Add", cpu, Problem{Lengths: []int{}}, "1", 8)}))
	sizes := string(TextOfSizes([]Sizes{{Name: "x", Ways: []Way{{"a", "b"}, {"c", ""}}, Points: []Size{{1, 0, []Times{{1, 2, 3}, {}}}, {9, 1, []Times{{}, {1, 1, 1}}}}}}))
	for _, text := range []string{"", good, sizes, good[:100], "{}", "[]\nnull", strings.ReplaceAll(good, "1", "-1"), strings.ReplaceAll(sizes, "0", "9")} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		records, _ := Parse(File, text, "")
		again, faults := Parse(File, string(Text(records)), "")
		if len(again) != len(records) || len(faults) != 0 {
			t.Fatalf("%d records become %d: %v", len(records), len(again), faults)
		}
		if !bytes.Equal(Text(again), Text(records)) {
			t.Fatal("the text changes")
		}
		list, _ := ParseSizes(File, text)
		for n := range list {
			for _, threshold := range list[n].Thresholds() {
				if threshold.From <= threshold.Below.N || threshold.From > threshold.Above.N {
					t.Fatalf("a threshold %d between %d and %d", threshold.From, threshold.Below.N, threshold.Above.N)
				}
			}
		}
		read, faults := ParseSizes(File, string(TextOfSizes(list)))
		if len(read) != len(list) || len(faults) != 0 {
			t.Fatalf("%d sizes become %d: %v", len(list), len(read), faults)
		}
	})
}

// TestMerge: a new record replaces the one about the same, and those of other code of its kernel.
func TestMerge(t *testing.T) {
	old := []Record{
		record("MatMul", h200, square(64), "5b2e", 8), record("MatMul", h200, square(128), "5b2e", 8),
		record("MatMul", h100, square(64), "old", 8), record("Other", h100, square(64), "old", 8),
	}
	merged := Merge(old, []Record{record("MatMul", h200, square(64), "5b2e", 32)})
	var got []string
	for _, r := range merged {
		got = append(got, r.Kernel+" "+r.Name+" "+r.Code+" "+Problem{Grid: r.Grid}.String()[:3])
	}
	want := []string{"MatMul NVIDIA H200 5b2e 128", "Other NVIDIA H100 old 64 ", "MatMul NVIDIA H200 5b2e 64 "}
	if diff := cmp.Diff(want, got); diff != "" || merged[2].Best[0] != 32 {
		t.Error(diff)
	}
	if len(old) != 4 || old[0].Best[0] != 8 {
		t.Error("merging changes its arguments")
	}
}

// TestChoose: the device decides before the problem does, and only records of the code count.
func TestChoose(t *testing.T) {
	const code = "5b2e"
	far := func(n int) Problem {
		return Problem{Grid: [3]uint32{uint32(n), uint32(n), 1}, Items: true, Lengths: []int{n * n, 1}}
	}
	records := []Record{
		record("MatMul", h100, square(64), code, 1),     // 0: of the profile, and the same problem
		record("MatMul", newer, square(64), code, 2),    // 1: another driver
		record("MatMul", h200, square(48), code, 3),     // 2: the device, and a close problem
		record("MatMul", h200, square(96), code, 4),     // 3: a problem that is less close
		record("MatMul", h200, square(64), "other", 5),  // 4: of other code
		record("Other", h200, square(64), code, 6),      // 5: of another kernel
		record("MatMul", h200, square(64), code, 7),     // 6: the problem itself
		record("MatMul", h200, far(64), code, 8),        // 7: with another number of buffers
		record("MatMul", h200, square(64), code, 9),     // 8: the same again, from another file
		record("MatMul", h200, square(64*4+1), code, 9), // 9: too far away
	}
	wanted := Wanted{"example.com/k", "MatMul", code, h200, square(64)}
	without := func(gone ...int) (list []Record) {
		for n := range records {
			if !slices.Contains(gone, n) {
				list = append(list, records[n])
			}
		}
		return list
	}
	groups := square(64)
	groups.Items = false
	for name, test := range map[string]struct {
		records []Record
		wanted  Wanted
		best    int
		match   Match
	}{
		"exactly":            {records, wanted, 7, SameDriver},
		"a close problem":    {without(6, 8), wanted, 3, SameDriver},
		"a less close one":   {without(2, 6, 8), wanted, 4, SameDriver},
		"another driver":     {without(2, 3, 6, 8), wanted, 2, SameDevice},
		"the profile":        {without(1, 2, 3, 6, 8), wanted, 1, SameProfile},
		"nothing":            {without(0, 1, 2, 3, 6, 8), wanted, 0, NoMatch},
		"no records":         {nil, wanted, 0, NoMatch},
		"another device":     {records, Wanted{"example.com/k", "MatMul", code, cpu, square(64)}, 0, NoMatch},
		"an unknown package": {records, Wanted{"example.com/l", "MatMul", code, h200, square(64)}, 0, NoMatch},
		"workgroups":         {records, Wanted{"example.com/k", "MatMul", code, h200, groups}, 0, NoMatch},
	} {
		r, match := Choose(test.records, test.wanted)
		best := 0
		if r != nil {
			best = r.Best[0]
		}
		if best != test.best || match != test.match {
			t.Errorf("%s: got %d, %v, want %d, %v", name, best, match, test.best, test.match)
		}
	}
}

// TestCompared: two measured variants can be compared, and one that is the only one that runs.
func TestCompared(t *testing.T) {
	known, refused, missing := Measured{Times: Times{1, 1, 1}, Samples: 1}, Measured{Failure: "x"}, Measured{}
	for _, test := range []struct {
		list []Measured
		want bool
	}{
		{[]Measured{known, known, missing}, true}, {[]Measured{known, refused}, true}, {[]Measured{known}, true},
		{[]Measured{known, missing}, false}, {[]Measured{known, refused, missing}, false}, {nil, false},
	} {
		if got := Compared(test.list); got != test.want {
			t.Errorf("%v: got %v", test.list, got)
		}
	}
}

// TestDistance: what a problem is apart from another one.
func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b Problem
		want float64
	}{
		{square(64), square(64), 0},
		{square(64), square(32), 2}, // the buffer has a fourth
		{Problem{Grid: [3]uint32{0, 1, 1}}, Problem{Grid: [3]uint32{1, 1, 1}}, 0},
		{Problem{Grid: [3]uint32{1, 1, 8}}, Problem{Grid: [3]uint32{1, 1, 1}}, 3},
		{Problem{Lengths: []int{1}}, Problem{}, math.Inf(1)},
		{Problem{Items: true}, Problem{}, math.Inf(1)},
	} {
		if got, back := test.a.Distance(test.b), test.b.Distance(test.a); got != test.want || back != test.want {
			t.Errorf("%v and %v: got %v and %v, want %v", test.a, test.b, got, back, test.want)
		}
	}
	if got := (Problem{Grid: [3]uint32{2, 1, 1}, Lengths: []int{3, 4}}).String(); got != "2 x 1 x 1 workgroups, buffers of 3, 4 elements" {
		t.Error(got)
	}
	if got := (Problem{Items: true, Lengths: []int{1}}).String(); got != "0 x 0 x 0 items, a buffer of 1 element" {
		t.Error(got)
	}
}

// TestKept: a file is in the folder of the cache of compiled kernels, is there completely or not at
// all, and errors of the disk are notes.
func TestKept(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(kernelcache.Variable, folder)
	k := KeptFor("example.com/some/päckage")
	if text, note := k.Read(); text != "" || note != "" {
		t.Errorf("before: %q, %q", text, note)
	}
	if note := k.Write([]byte("one\n")); note != "" {
		t.Fatal(note)
	}
	if note := k.Write([]byte("two\n")); note != "" {
		t.Fatal(note)
	}
	if text, note := k.Read(); text != "two\n" || note != "" {
		t.Errorf("after: %q, %q", text, note)
	}
	files, _ := filepath.Glob(filepath.Join(folder, "tuning", "*"))
	if len(files) != 1 || files[0] != k.Path || !strings.HasPrefix(filepath.Base(k.Path), "p-ckage-") {
		t.Errorf("files %v, want %s", files, k.Path)
	}
	if other := KeptFor("example.com/other/päckage"); other.Path == k.Path {
		t.Error("two packages have one file")
	}
	t.Setenv(kernelcache.Variable, kernelcache.Off)
	off := KeptFor("p")
	if _, note := off.Read(); off.Path != "" || !strings.Contains(note, "GPUC_CACHE is off") || off.Write(nil) != note {
		t.Errorf("off: %+v, %q", off, note)
	}
	t.Setenv(kernelcache.Variable, "relative")
	if wrong := KeptFor("p"); wrong.Path != "" || !strings.Contains(wrong.Why, "nor an absolute path") {
		t.Errorf("a relative path: %+v", wrong)
	}
	blocked := filepath.Join(folder, "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(kernelcache.Variable, blocked)
	if note := KeptFor("p").Write(nil); !strings.Contains(note, "it is not kept: ") {
		t.Errorf("a file as folder: %q", note)
	}
}
