// Immediates of launches.

package drivertest

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/gpuc/gpuc/runtime/driver"
)

// immediates launches kernels with different immediates, all passed in the same memory: a launch
// has read them when it returns. A kernel without immediates runs between them.
func immediates(f *Fixture) {
	const text = `
		struct Parameters { at : u32, add : vec3<u32> }
		var<immediate> few : u32;
		var<immediate> parameters : Parameters;
		@group(0) @binding(0) var<storage, read_write> out : array<u32>;
		@compute @workgroup_size(1) fn one() { out[few] += 1000u; }
		@compute @workgroup_size(1) fn several(@builtin(workgroup_id) id : vec3<u32>) {
			out[parameters.at + id.x] += parameters.add[id.x];
		}`
	one, several := f.Compile(text, "one"), f.Compile(text, "several")
	const n = 64
	out := f.Alloc(4 * n)
	x, y, factor := f.Alloc(256), f.Alloc(256), f.Upload([]float32{1})
	bytes := make([]uint32, 8) // at, three words of padding, add, another
	l := driver.Launch{Bindings: []driver.Slice{Whole(out)}}
	var want [n]uint32
	for i := range uint32(60) {
		l.Kernel, l.Grid, l.Immediates = several, [3]uint32{3, 1, 1}, Bytes(bytes)
		bytes[0], bytes[4], bytes[5], bytes[6] = i, i, 10*i, 100*i
		f.Check(f.Stream.Launch(&l))
		f.Check(f.Stream.Launch(Launch(f.Kernel, x, y, factor)))
		bytes[0] = n - 1 - i
		l.Kernel, l.Grid, l.Immediates = one, [3]uint32{1, 1, 1}, Bytes(bytes[:1])
		f.Check(f.Stream.Launch(&l))
		bytes[0] = n
		want[i] += i
		want[i+1] += 10 * i
		want[i+2] += 100 * i
		want[n-1-i] += 1000
	}
	var got [n]uint32
	f.Check(f.Stream.Read(Bytes(got[:]), Whole(out)))
	if got != want {
		f.Errorf("got  %v\nwant %v", got, want)
	}
	for _, count := range []int{0, 4, 36} {
		l.Kernel, l.Immediates = several, make([]byte, count)
		if err := f.Stream.Launch(&l); !errors.Is(err, driver.ErrUnsupported) {
			f.Errorf("%d bytes of immediates where 32 are expected: got %v, want ErrUnsupported", count, err)
		}
	}
	l.Kernel, l.Immediates = one, Bytes(bytes[1:2])
	if allocations := testing.AllocsPerRun(200, func() { f.Check(f.Stream.Launch(&l)) }); allocations >= 1 && !RaceEnabled && runtime.GOOS != "js" {
		f.Errorf("a launch with immediates allocates %v times", allocations)
	}
	f.Check(f.Stream.Wait(context.Background()))
}
