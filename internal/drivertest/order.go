// Launches that each read what workgroups of the one before wrote.

package drivertest

import "github.com/gpuc/gpuc/runtime/driver"

// launchOrder moves elements between two arrays, from one workgroup to another in each launch:
// first by launches on a stream, and then by replays of recorded ones. So a launch that begins too
// early, or a cache with what was there before, leaves a wrong result.
func launchOrder(f *Fixture) {
	const text = `
		@group(0) @binding(0) var<storage, read> x : array<u32>;
		@group(0) @binding(1) var<storage, read_write> y : array<u32>;
		@compute @workgroup_size(64)
		fn shift(@builtin(global_invocation_id) id : vec3u) {
			let n = arrayLength(&y);
			y[id.x] = x[(id.x + 1037) % n] + id.x;
		}`
	k, err := f.Device.Load(f.artefact(text, "shift"))
	f.Check(err)
	defer k.Close()
	const rounds, replays = 100, 3
	for _, n := range []int{1 << 8, 1 << 14} {
		arrays := [2]driver.Memory{f.Alloc(4 * n), f.Alloc(4 * n)}
		want, next := make([]uint32, n), make([]uint32, n)
		var work []driver.Operation
		for round := range rounds {
			l := &driver.Launch{Kernel: k, Bindings: []driver.Slice{Whole(arrays[round%2]), Whole(arrays[1-round%2])}, Grid: [3]uint32{uint32(n / 64), 1, 1}}
			f.Check(f.Stream.Launch(l))
			o := driver.Operation{Launch: l}
			if round > 0 {
				o.After = []int{round - 1}
			}
			work = append(work, o)
		}
		r, _ := f.recording(work)
		for range replays {
			f.Check(r.Replay(f.Stream))
		}
		for range (1 + replays) * rounds {
			for i := range next {
				next[i] = want[(i+1037)%n] + uint32(i)
			}
			want, next = next, want
		}
		got := make([]uint32, n)
		f.Check(f.Stream.Read(Bytes(got), Whole(arrays[0])))
		f.Check(f.Stream.Wait(f.Context()))
		for i := range got {
			if got[i] != want[i] {
				f.Fatalf("%d elements, element %d after all launches: got %d, want %d", n, i, got[i], want[i])
			}
		}
		f.Check(r.Close())
		for _, m := range arrays {
			f.Check(m.Free())
		}
	}
}
