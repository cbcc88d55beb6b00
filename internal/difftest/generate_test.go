package difftest

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
)

// TestGenerate asserts that what the generator makes is well-defined, and that few programs are
// thrown away on the way.
func TestGenerate(t *testing.T) {
	seeds := testmode.Count(300, 1000, 2000)
	thrown := map[string]int{}
	total := 0
	discarded = func(why string) { thrown[why]++; total++ }
	defer func() { discarded = func(string) {} }()
	profiles := map[string]bool{}
	for seed := range uint64(seeds) {
		p := Generate(seed)
		profiles[p.Profile] = true
		if _, err := p.Case(); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	if total > seeds*3/100 {
		t.Errorf("%d programs for %d seeds were thrown away: %v", total, seeds, thrown)
	}
	if len(profiles) != 14 {
		t.Errorf("expected 14 profiles, found %v", profiles)
	}
}

// TestDeterminism generates and evaluates twice.
func TestDeterminism(t *testing.T) {
	for seed := range uint64(60) {
		a, errA := Generate(seed).Case()
		b, errB := Generate(seed).Case()
		if errA != nil || errB != nil || !reflect.DeepEqual(a, b) {
			t.Fatalf("seed %d: %v, %v, or different cases", seed, errA, errB)
		}
	}
}

// TestClone asserts that a copy prints alike and evaluates alike, and that both are stable.
func TestClone(t *testing.T) {
	for seed := range uint64(60) {
		p := Generate(seed)
		want, err := p.Case()
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.clone().Case()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: the copy differs: %v", seed, err)
		}
	}
}

func TestCaseJSON(t *testing.T) {
	c, err := Generate(8).Case()
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var back Case
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(c, &back) {
		t.Fatalf("the case differs after JSON: %v", err)
	}
}

func TestCompare(t *testing.T) {
	c := &Case{Bindings: []Binding{{Name: "b", Want: []byte{0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0}, Floats: []FloatField{{Offset: 4}}, Stride: 12, Count: 1}}}
	for _, k := range []struct {
		got  []byte
		want string
	}{
		{[]byte{0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0}, ""},
		{[]byte{0, 0, 0, 0, 0, 0, 0, 0x80, 7, 0, 0, 0}, ""},
		{[]byte{0, 0, 0, 0x80, 0, 0, 0, 0, 7, 0, 0, 0}, "b: byte 0: expected 00 00 00 00, found 00 00 00 80"},
		{[]byte{0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 1, 0}, "b: byte 8: expected 07 00 00 00, found 07 00 01 00"},
		{[]byte{0, 0, 0, 0}, "b: expected 12 bytes, found 4"},
		{nil, ""},
	} {
		text := ""
		if err := c.Compare([][]byte{k.got}); err != nil {
			text = err.Error()
		}
		if text != k.want {
			t.Errorf("%v: expected %q, found %q", k.got, k.want, text)
		}
	}
}

// TestReduce reduces by a predicate on the text, and expects what must be left.
func TestReduce(t *testing.T) {
	for _, token := range []string{"reverseBits(", "switch", "continuing", "atomicMax("} {
		tried := 0
		for seed := uint64(0); tried < testmode.Count(1, 3, 3) && seed < 2000; seed++ {
			p := Generate(seed)
			c, err := p.Case()
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(c.Code, token) {
				continue
			}
			tried++
			fails := func(cases []*Case) (fail []bool) {
				for _, c := range cases {
					fail = append(fail, strings.Contains(c.Code, token))
				}
				return fail
			}
			small, err := Reduce(p, 1, fails).Case()
			if err != nil {
				t.Fatal(err)
			}
			if ahead, err := Reduce(p, 16, fails).Case(); err != nil || ahead.Code != small.Code {
				t.Errorf("seed %d, %s: sixteen at a time leave something else (%v):\n%s", seed, token, err, ahead.Code)
			}
			if lines := strings.Count(small.Code, "\n"); !strings.Contains(small.Code, token) || lines > 20 {
				t.Errorf("seed %d, %s: %d lines are left:\n%s", seed, token, lines, small.Code)
			}
		}
	}
}
