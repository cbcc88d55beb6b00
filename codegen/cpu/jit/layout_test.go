package jit

import (
	"slices"
	"testing"
)

// TestAgreement holds what code that was compiled some time ago relies on against what was written
// down by hand for this Version. Where it fails, Version has to grow, and then the list is changed.
func TestAgreement(t *testing.T) {
	if Version != 4 {
		t.Fatal("there is no list for this version")
	}
	fields := []int{contextStop, contextGroups, contextGroup, contextGrid, contextExtent, contextWorkgroup, contextImmediates, contextFrames, contextConstants,
		contextTables, contextFrame, contextFirst, contextPhase, contextEarlyOut, contextFollows, contextFuel, contextPoint, contextResume, contextCall, contextSlots, contextBindings, bindingBytes}
	if want := []int{0, 8, 16, 28, 40, 56, 64, 72, 80, 88, 96, 104, 108, 112, 116, 4, 52, 120, 124, 128, 384, 16}; !slices.Equal(fields, want) {
		t.Errorf("the context is %v, and was %v", fields, want)
	}
	if numbers, want := []int{statusDone, statusStopped, statusDiverged, statusPreempted, lanes, tableID, tableLives, columns}, []int{0, 1, 2, 3, 8, 0, 3, 4}; !slices.Equal(numbers, want) {
		t.Errorf("statuses, lanes and columns are %v, and were %v", numbers, want)
	}
	l := Layout{Name: "k", Workgroup: [3]uint32{3, 2, 1}, Constants: []byte{1}, Blocks: 1}
	text, err := l.text()
	if want := `{"Name":"k","Workgroup":[3,2,1],"Bindings":null,"Needed":null,"Immediates":0,"WorkgroupBytes":0,"ContextBytes":0,"FrameBytes":0,"Frames":0,"Blocks":1,"Together":0,"Constants":"AQ=="}`; err != nil || text != want {
		t.Errorf("a layout is %s, and was %s: %v", text, want, err)
	}
	table := make([]byte, l.tableBytes())
	l.putTable(table)
	var words []byte // the lowest of each
	for n := 0; n < len(table); n += 4 {
		words = append(words, table[n])
	}
	if want := []byte{0, 1, 2, 0, 1, 2, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 255, 255, 255, 255, 255, 255, 0, 0}; !slices.Equal(words, want) {
		t.Errorf("the table of 3×2 invocations is %v, and was %v", words, want)
	}
}

// TestKey: the key is a digest of the version and the text (sha256sum says the same), whatever its
// lines end with.
func TestKey(t *testing.T) {
	const want = "5e566c4ebf3968fa8b3d2c62b88f7d975adcb91a8df8f4623ab56021863a7f75"
	for text, same := range map[string]bool{"kernel @main\n": true, "kernel @main\r\n": true, "kernel @main": false, "kernel @mein\n": false} {
		if got := Key([]byte(text)); (got == want) != same {
			t.Errorf("the key of %q is %s", text, got)
		}
	}
}
