package mir_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/internal/irtest"
)

// transformTests transforms the sections in of a folder and expects the sections out. The machine
// of the tests runs both and compares what they return and leave in memory.
func transformTests(t *testing.T, part string, transform func(f *mir.Func)) {
	textTests(t, part, func(t *testing.T, file string, texts map[string]string) {
		before, after := verified(t, functionOf(t, texts["in"])), functionOf(t, texts["in"])
		transform(after)
		verified(t, after)
		if *update {
			irtest.WriteSection(t, file, "out", after.Text())
		} else if diff := cmp.Diff(texts["out"], after.Text()); diff != "" {
			t.Errorf("another result (-want +got):\n%s", diff)
		}
		for seed := range uint64(20) {
			want, got := run(before, seed), run(after, seed)
			if diff := cmp.Diff(want, got); diff != "" || want.Problem != "" {
				t.Fatalf("seed %d: another outcome (-before +after), or a problem:\n%s%s", seed, diff, want.Problem)
			}
		}
	})
}

// TestMergeParams merges parameters.
func TestMergeParams(t *testing.T) { transformTests(t, "params", (*mir.Func).MergeParams) }

// TestSink sinks instructions.
func TestSink(t *testing.T) { transformTests(t, "sink", (*mir.Func).Sink) }

// TestCloseLoops closes loops.
func TestCloseLoops(t *testing.T) {
	transformTests(t, "closeloops", func(f *mir.Func) {
		var loops mir.Loops
		if !loops.Analyse(f) {
			t.Fatal("a loop is entered in the middle")
		}
		f.CloseLoops(&loops)
	})
}
