package mir_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/internal/irtest"
)

// TestSink sinks the instructions of the section in and expects the section out. The machine of
// the tests runs both and compares what they return and leave in memory.
func TestSink(t *testing.T) {
	textTests(t, "sink", func(t *testing.T, file string, texts map[string]string) {
		before, after := verified(t, functionOf(t, texts["in"])), functionOf(t, texts["in"])
		after.Sink()
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
