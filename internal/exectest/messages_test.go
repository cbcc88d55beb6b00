package exectest_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/msl"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/internal/emulate/spirv"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// talkative prints in a loop, in a function, in branches that a part of the invocations takes and
// behind a barrier, in two dimensions. What it prints is said in said, by hand.
const talkative = `enable gpuc_debug;
@group(0) @binding(0) var<storage, read_write> x: array<i32>;
var<workgroup> shared_sum: atomic<i32>;

fn twice(n: i32) -> i32 {
    printf("twice %d", n);
    return 2 * n;
}

@compute @workgroup_size(2, 2)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let n = i32(id.y * 4u + id.x);
    for (var k = 0; k < n % 3; k++) {
        printf("iteration %v of %v", k, id.xy);
        if k == 1 { continue; }
        printf("%t %.3f", n > 4, f32(n) / 4);
    }
    atomicAdd(&shared_sum, 1);
    workgroupBarrier();
    if n == 5 { return; }
    x[n] = twice(n) + atomicLoad(&shared_sum);
    assert(n != 6 && n != 3, "%d is %x", n, -n);
    printf("done");
}
`

// said is what an invocation prints, a line for each message, and whether it is an assertion's.
func said(x, y int) (lines []string) {
	n := 4*y + x
	for k := range n % 3 {
		lines = append(lines, fmt.Sprintf("iteration %d of [%d %d]", k, x, y))
		if k != 1 {
			lines = append(lines, fmt.Sprintf("%t %s", n > 4, [...]string{"0.000", "0.250", "0.500", "0.750", "1.000", "1.250", "1.500", "1.750"}[n]))
		}
	}
	if n == 5 {
		return lines
	}
	lines = append(lines, fmt.Sprintf("twice %d", n))
	if n == 3 || n == 6 {
		lines = append(lines, fmt.Sprintf("assert %d is -%d", n, n))
	}
	return append(lines, "done")
}

// TestMessagesOnEmulators: on emulators every invocation leaves the records of what it prints, in
// its order, in all modes. Where they do not fit, those that do are left, and the count of the
// others.
func TestMessagesOnEmulators(t *testing.T) {
	m := parse(t, "talkative.wgsl", talkative)
	for _, target := range []abi.Target{abi.SPIRV, abi.PTX, abi.MSL} {
		for _, bounds := range []opt.Bounds{opt.BoundsRobust, opt.BoundsTrap, opt.BoundsOff} {
			for _, plain := range []bool{false, true} {
				for _, words := range []int{1000, 97, 4} {
					if target == abi.MSL && (testing.Short() || bounds != opt.BoundsRobust || words == 97 || words == 4 && !testmode.IsLong() || msl.Missing() != "") {
						continue // each takes a compiler's time
					}
					t.Run(fmt.Sprintf("%s %d -O0 %v, %d words", target, bounds, plain, words), func(t *testing.T) {
						buffer := make([]byte, abi.MessagesWordsOffset+4*words)
						buffer[30] = 7 // the launch's number
						x := make([]byte, 4*8)
						k := runTalkative(t, m, target, codegen.Options{Bounds: bounds, NoOptimize: plain, Debug: true}, x, buffer)
						for i := range 8 {
							want := int32(2*i + 4)
							if i == 5 {
								want = 0
							}
							if got := int32(binary.LittleEndian.Uint32(x[4*i:])); got != want {
								t.Errorf("x[%d] is %d, want %d", i, got, want)
							}
						}
						checkRecords(t, k, buffer, words)
						checkAssertion(t, k, buffer)
					})
				}
			}
		}
	}
}

// headerWord reads a word in front of the records.
func headerWord(buffer []byte, offset int) int {
	return int(binary.LittleEndian.Uint32(buffer[offset:]))
}

// checkRecords compares the records in a buffer of so many words with what invocations print. All
// fit into 1000 words.
func checkRecords(t *testing.T, k *abi.Kernel, buffer []byte, words int) {
	t.Helper()
	records, err := k.Messages.Decode(buffer[abi.MessagesWordsOffset:])
	if err != nil {
		t.Fatal(err)
	}
	got := map[[3]uint32][]string{}
	for _, r := range records {
		text := r.Text()
		if r.Message.Assert {
			text = "assert " + text
		}
		if r.Launch != 7 {
			t.Fatalf("the launch is %d, want 7", r.Launch)
		}
		got[r.Invocation] = append(got[r.Invocation], text)
	}
	total := 0
	for i := range 8 {
		id := [3]uint32{uint32(i % 4), uint32(i / 4)}
		want := said(i%4, i/4)
		total += len(want)
		if g := got[id]; len(g) > len(want) || !slices.Equal(g, want[:len(g)]) || words == 1000 && len(g) < len(want) {
			t.Errorf("%v printed\n%s\nwant\n%s", id, strings.Join(g, "\n"), strings.Join(want, "\n"))
		}
	}
	dropped := headerWord(buffer, abi.MessagesDroppedOffset)
	if len(records)+dropped != total || (words == 1000) != (dropped == 0) || words == 4 && len(records) > 1 {
		t.Errorf("%d records and %d that did not fit, of %d", len(records), dropped, total)
	}
}

// checkAssertion checks what the header says of the two assertions that fail.
func checkAssertion(t *testing.T, k *abi.Kernel, buffer []byte) {
	t.Helper()
	count, message := headerWord(buffer, abi.MessagesFailedOffset), headerWord(buffer, abi.MessagesFirstOffset)
	first := [2]int{headerWord(buffer, abi.MessagesInvocationOffset), headerWord(buffer, abi.MessagesInvocationOffset+4)}
	if count != 2 || message == 0 || first != [2]int{3, 0} && first != [2]int{2, 1} {
		t.Errorf("%d assertions failed, the first of message %d in %v", count, message, first)
	} else if site := k.Messages.List[message-1]; !site.Assert || site.Line != 22 || site.Column != 5 {
		t.Errorf("the assertion is %+v", site)
	}
}

// runTalkative runs the program over 4 by 2 invocations.
func runTalkative(t *testing.T, m *ir.Module, target abi.Target, o codegen.Options, x, buffer []byte) *abi.Kernel {
	t.Helper()
	var list diag.List
	a := codegen.Compile(m, "main", all.Lookup(string(target)), &o, &list)
	if a == nil {
		t.Fatal(list.Items())
	}
	k := &a.Kernel
	if messages, _, _, _ := k.Hidden(); messages != 1 {
		t.Fatalf("the messages are binding %d of %+v", messages, k.Bindings)
	}
	data := [][]byte{x, buffer}
	for len(data) < len(k.Bindings) {
		data = append(data, make([]byte, abi.FaultRecordBytes))
	}
	var err error
	if target == abi.MSL {
		j := &msl.Job{Data: data}
		positions := make([]int, len(data))
		for n := range positions {
			positions[n] = n
		}
		msl.Add(j, 0, k, [3]uint32{2, 1, 1}, positions, nil)
		if err = msl.Run(msl.Checked, []msl.Program{{Code: a.Code, Entry: k.Name}}, []*msl.Job{j}); err == nil {
			err = j.Err
		}
	} else {
		launch := &emulate.Launch{Entry: "main", Grid: [3]uint32{2, 1, 1}}
		for n, b := range k.Bindings {
			launch.Buffers = append(launch.Buffers, emulate.Buffer{Group: b.Group, Binding: b.Binding, Data: data[n]})
		}
		if target == abi.SPIRV {
			err = spirv.Run(a.Code, launch)
		} else {
			err = ptx.Run(a.Code, k, launch)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > 2 {
		if _, found := k.Fault.Decode(data[2]); found {
			t.Error("messages are reported as accesses outside")
		}
	}
	return k
}
