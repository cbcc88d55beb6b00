package tuning

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// linear is a way that takes a time for each call and one for each element.
type linear struct {
	call, element float64 // nanoseconds
}

func (l linear) at(n int) float64 { return l.call + l.element*float64(n) }

// crossing is the size at which two ways take the same time.
func crossing(a, b linear) float64 { return (b.call - a.call) / (a.element - b.element) }

// searched measures ways on a clock of its own. Each measurement has an error of up to half a
// percent, which depends on how many there were before.
func searched(t *testing.T, budget time.Duration, most int, ways ...linear) (*Sizes, *clock, []int) {
	t.Helper()
	c := newClock()
	s := Search{Name: "x", Least: 1, Most: most, Budget: budget, Now: func() time.Time {
		c.pass(20) // reading takes time
		return c.Time
	}}
	calls := make([]int, len(ways))
	for range ways {
		s.Ways = append(s.Ways, Way{Name: "device"})
	}
	s.Run = func(_ context.Context, way, n int) error {
		calls[way]++
		noise := 1 + 0.005*math.Sin(float64(calls[way]*way))
		c.pass(time.Duration(ways[way].at(n) * noise))
		return nil
	}
	sizes, err := s.Measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return sizes, c, calls
}

// bestAt returns the way that the thresholds choose.
func bestAt(s *Sizes, n int) int {
	best := s.Points[0].Best
	for _, t := range s.Thresholds() {
		if n >= t.From {
			best = t.Way
		}
	}
	return best
}

// TestThresholds: on both sides of each threshold the way is chosen that is the fastest there. The
// sizes at which ways are equally fast are computed.
func TestThresholds(t *testing.T) {
	program, vector, gpu, farGPU := linear{50, 10}, linear{3000, 1}, linear{20_000, 0.05}, linear{200_000, 0.001}
	for name, test := range map[string]struct {
		ways       []linear
		thresholds int
	}{
		"two":                    {[]linear{program, gpu}, 1},
		"two in the other order": {[]linear{gpu, program}, 1},
		"three":                  {[]linear{program, vector, gpu}, 2},
		"four":                   {[]linear{farGPU, program, vector, gpu}, 3},
		"one is never the best":  {[]linear{program, {60, 20}, gpu}, 1},
		"one":                    {[]linear{program}, 0},
		"no crossing":            {[]linear{program, {100, 10.5}}, 0},
	} {
		s, _, _ := searched(t, time.Hour, 1<<28, test.ways...)
		list := s.Thresholds()
		if len(list) != test.thresholds {
			t.Errorf("%s: %d thresholds, want %d: %+v", name, len(list), test.thresholds, s.Points)
			continue
		}
		for _, threshold := range list {
			below, above := test.ways[threshold.Below.Best], test.ways[threshold.Way]
			// near it noise and the preference of the first way decide
			exact := crossing(below, above)
			if f := float64(threshold.From); f < 0.93*exact || f > 1.07*exact {
				t.Errorf("%s: a threshold at %v, want %v", name, f, exact)
			}
			for _, side := range []float64{0.5, 0.9, 1.1, 2} {
				n := int(side * exact)
				fastest := 0
				for way := range test.ways {
					if test.ways[way].at(n) < test.ways[fastest].at(n) {
						fastest = way
					}
				}
				if got := bestAt(s, n); got != fastest {
					t.Errorf("%s: at %d of a threshold at %v way %d is chosen, and %d is the fastest", name, n, exact, got, fastest)
				}
			}
		}
	}
}

// TestSearchBudget: a search ends within its budget, and the thresholds are right as far as they
// are known: between the sizes that were measured.
func TestSearchBudget(t *testing.T) {
	ways := []linear{{50, 10}, {20_000, 0.05}}
	exact := crossing(ways[0], ways[1])
	for _, budget := range []time.Duration{20 * ms, 50 * ms, 100 * ms, 300 * ms, time.Second} {
		s, c, _ := searched(t, budget, 1<<30, ways...)
		took := c.Sub(newClock().Time)
		if took > budget+30*ms {
			t.Errorf("a budget of %v: it takes %v", budget, took)
		}
		for _, threshold := range s.Thresholds() {
			if float64(threshold.Below.N) > exact || float64(threshold.Above.N) < exact {
				t.Errorf("a budget of %v: a threshold between %d and %d, but it is %v", budget, threshold.Below.N, threshold.Above.N, exact)
			}
		}
		if budget == time.Second && len(s.Thresholds()) != 1 {
			t.Errorf("a second does not suffice: %+v", s.Points)
		}
	}
}

// TestHopeless: a way is not measured where it cannot be the best one, and sizes are not where one
// way is left.
func TestHopeless(t *testing.T) {
	s, c, calls := searched(t, time.Hour, 1<<30, linear{50, 10}, linear{2000, 5}, linear{200_000, 0.05})
	if first := s.Points[1]; first.Times[1] != (Times{}) || first.Times[2] != (Times{}) || first.Best != 0 {
		t.Errorf("the second size is %+v", first)
	}
	last := s.Points[len(s.Points)-1]
	if last.N != 1<<18 || last.Times[0] != (Times{}) || last.Times[1][1] == 0 || last.Best != 2 {
		t.Errorf("the last size is %+v", last)
	}
	if took := c.Sub(newClock().Time); took > time.Second || len(s.Thresholds()) != 2 {
		t.Errorf("it takes %v, and %v runs", took, calls)
	}
}

// TestSearchFails: what is wrong with a search, its ways or its clock is said.
func TestSearchFails(t *testing.T) {
	c := newClock()
	lost := errors.New("lost")
	good := Search{Name: "x", Ways: []Way{{"a", ""}, {"b", ""}}, Least: 1, Most: 8, Budget: time.Second,
		Now: func() time.Time { c.pass(20); return c.Time }, Run: func(context.Context, int, int) error { c.pass(ms); return nil }}
	for name, test := range map[string]struct {
		change func(s *Search)
		says   string
	}{
		"no ways":   {func(s *Search) { s.Ways = nil }, "a search needs a name, ways"},
		"no name":   {func(s *Search) { s.Name = "" }, "a search needs a name, ways"},
		"size 0":    {func(s *Search) { s.Least = 0 }, "sizes from 0 to 8 are none"},
		"no size":   {func(s *Search) { s.Least = 9 }, "sizes from 9 to 8 are none"},
		"a failure": {func(s *Search) { s.Run = func(context.Context, int, int) error { return lost } }, "lost"},
		"no budget": {func(s *Search) { s.Budget = 0 }, "size 1: the budget is too short: 0s do not suffice to measure each way"},
		"no clock": {func(s *Search) {
			s.Now = func() time.Time { return c.Time }
			s.Run = func(context.Context, int, int) error { return nil }
		}, "size 1: the clock is too coarse"},
	} {
		s := good
		test.change(&s)
		if _, err := s.Measure(t.Context()); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: got %v, want %q", name, err, test.says)
		}
	}
	if s, err := good.Measure(t.Context()); err != nil || len(s.Points) != 3 {
		t.Errorf("%v, %v", s, err)
	}
	good.Most = math.MaxInt
	if s, err := good.Measure(t.Context()); err != nil || s.Points[len(s.Points)-1].N != math.MaxInt {
		t.Errorf("%v, %v", s, err)
	}
}

// TestSizesFile: sizes are read back as they were written, and damaged lines are named.
func TestSizesFile(t *testing.T) {
	a := Sizes{Format, "x", []Way{{"the program", ""}, {"NVIDIA H200", "cuda"}}, []Size{{1, 0, []Times{{1, 2, 3}, {}}}, {100, 1, []Times{{7, 8, 9}, {4, 5, 6}}}}}
	b := Sizes{Format, "a", a.Ways, a.Points[:1]}
	text := string(TextOfSizes([]Sizes{a, b}))
	if text != `{"sizes":1,"name":"a","ways":[{"device":"the program"},{"device":"NVIDIA H200","driver":"cuda"}],"points":[{"n":1,"best":0,"ns":[[1,2,3],[0,0,0]]}]}
{"sizes":1,"name":"x","ways":[{"device":"the program"},{"device":"NVIDIA H200","driver":"cuda"}],"points":[{"n":1,"best":0,"ns":[[1,2,3],[0,0,0]]},{"n":100,"best":1,"ns":[[7,8,9],[4,5,6]]}]}
` {
		t.Error(text)
	}
	list, faults := ParseSizes("f", text)
	if len(list) != 2 || len(faults) != 0 || !slices.Equal(list[1].Ways, a.Ways) || len(list[1].Thresholds()) != 1 || list[1].Thresholds()[0].From != 11 {
		t.Errorf("%+v, %v", list, faults)
	}
	for _, line := range []string{`{"sizes":1,"name":"x","ways":[],"points":[]}`, `{"sizes":1,"name":"x","ways":[{"device":"a"}],"points":[]}`,
		`{"sizes":1,"name":"x","ways":[{"device":"a"}],"points":[{"n":4,"best":0,"ns":[[1,2,3]]},{"n":4,"best":0,"ns":[[1,2,3]]}]}`,
		`{"sizes":1,"name":"x","ways":[{"device":"a"}],"points":[{"n":4,"best":0,"ns":[[0,0,0]]}]}`, `{"sizes":1,"name":"x","ways":[{"device":"a"}],"points":[{"n":4,"best":0,"ns":[[-1,2,3]]}]}`} {
		if list, faults := ParseSizes("f", line); len(list) != 0 || len(faults) != 1 || strings.Contains(faults[0].Why, "damaged") {
			t.Errorf("%s: %+v, %v", line, list, faults)
		}
	}
	for old, new := range map[string]string{`"sizes":1`: `"sizes":2`, `"name":"a"`: `"name":""`, `"n":1,"best":0`: `"n":0,"best":0`, `"best":0`: `"best":2`, `[1,2,3]`: `[3,2,1]`, `[0,0,0]]`: `[0,0,0],[0,0,0]]`, `"n":1,"best"`: `"n":1,"bst"`} {
		line, rest, _ := strings.Cut(text, "\n")
		if damaged := strings.Replace(line, old, new, 1); damaged == line {
			t.Errorf("there is no %s", old)
		} else if list, faults := ParseSizes("f", damaged+"\n"+rest); len(list) != 1 || len(faults) != 1 || faults[0].Line != 1 {
			t.Errorf("%s: %+v, %v", new, list, faults)
		}
	}
}
