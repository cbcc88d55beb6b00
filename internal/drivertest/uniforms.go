// Uniform buffers. A driver may pass their contents by value if it knows them.

package drivertest

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/gpuc/gpuc/runtime/driver"
)

// uniformWords is the number of words of the uniform buffers of uniformText.
const uniformWords = 12

// uniformText: read adds a word of a uniform buffer to an element of out; write changes that word.
const uniformText = `
	struct Parameters { at : u32, pick : u32, add : vec2<u32>, table : array<vec4<u32>, 2> }
	@group(0) @binding(0) var<storage, read_write> out : array<u32>;
	@group(0) @binding(1) var<uniform> p : Parameters;
	@compute @workgroup_size(1) fn read() { out[p.at] += p.add.y + p.table[p.pick].w; }
	@group(0) @binding(0) var<storage, read_write> words : array<u32>;
	@compute @workgroup_size(1) fn write() { words[3] += 1000u; words[11] = words[11] * 3u + 1u; }`

// uniformTest executes operations on uniform buffers, and the same on words of the host.
type uniformTest struct {
	*Fixture
	random      *rand.Rand
	streams     [2]driver.Stream
	at          int // the stream that is used
	read, write driver.Kernel
	memory      [3]driver.Memory // of several uniform buffers each
	numbers     [3][]uint32      // what they hold
	out         driver.Memory
	results     [16]uint32
	step        int // words from one uniform buffer to the next
}

// uniforms writes uniform buffers by the host, by kernels and by copies, in random order between
// launches that read them. It alternates between two streams, and compares the results of the
// launches.
func uniforms(f *Fixture) {
	other, err := f.Device.NewStream()
	f.Check(err)
	defer func() { f.Check(other.Close()) }()
	u := &uniformTest{Fixture: f, random: rand.New(rand.NewPCG(7, 12)), streams: [2]driver.Stream{f.Stream, other},
		read: f.Compile(uniformText, "read"), write: f.Compile(uniformText, "write"), out: f.Alloc(64)}
	alignment := max(int(f.Device.Info().OffsetAlignment), 16)
	u.step = (4*uniformWords + alignment - 1) / alignment * alignment / 4
	for n := range u.memory {
		u.replace(n)
	}
	operations := []struct {
		weight int
		run    func()
	}{
		{8, u.launch},
		{4, u.hostWrites},
		{2, u.hostWritesPart},
		{1, u.hostWritesAll},
		{2, u.kernelWrites},
		{2, u.copies},
		{1, func() { u.replace(u.random.IntN(len(u.memory))) }},
		{1, u.change},
		{1, func() { u.Check(u.stream().Wait(context.Background())) }},
	}
	for range 60 {
		for _, o := range operations {
			for range u.random.IntN(o.weight + 1) {
				o.run()
			}
		}
		u.compare()
	}
	u.launchesDoNotAllocate()
}

func (u *uniformTest) stream() driver.Stream { return u.streams[u.at] }

// any returns a random uniform buffer: its memory, and its offset there in words.
func (u *uniformTest) any() (n, word int) {
	n = u.random.IntN(len(u.memory))
	return n, u.random.IntN(len(u.numbers[n])/u.step) * u.step
}

// part is a part of one of the memories, in words.
func (u *uniformTest) part(n, word, words int) driver.Slice {
	return driver.Slice{Memory: u.memory[n], Offset: 4 * uint64(word), Bytes: 4 * uint64(words)}
}

// draw returns random words for writes of the host.
func (u *uniformTest) draw(word int) uint32 {
	switch word % u.step {
	case 0:
		return u.random.Uint32N(uint32(len(u.results)))
	case 1:
		return u.random.Uint32N(2)
	}
	return u.random.Uint32N(1 << 20)
}

// set writes random words by the host.
func (u *uniformTest) set(n, word, words int) {
	for k := range words {
		u.numbers[n][word+k] = u.draw(word + k)
	}
	u.Check(u.stream().Write(u.part(n, word, words), Bytes(u.numbers[n][word:word+words])))
}

func (u *uniformTest) hostWrites() {
	n, word := u.any()
	u.set(n, word, uniformWords)
}

func (u *uniformTest) hostWritesPart() {
	n, word := u.any()
	first := u.random.IntN(uniformWords)
	u.set(n, word+first, 1+u.random.IntN(uniformWords-first))
}

func (u *uniformTest) hostWritesAll() {
	n, _ := u.any()
	u.set(n, 0, len(u.numbers[n]))
}

func (u *uniformTest) kernelWrites() {
	n, word := u.any()
	u.Check(u.stream().Launch(&driver.Launch{Kernel: u.write, Bindings: []driver.Slice{u.part(n, word, uniformWords)}, Grid: [3]uint32{1, 1, 1}}))
	u.numbers[n][word+3] += 1000
	u.numbers[n][word+11] = u.numbers[n][word+11]*3 + 1
}

// copies copies one buffer, or a part of it, to another.
func (u *uniformTest) copies() {
	from, source := u.any()
	to, target := u.any()
	if from == to && source == target {
		return
	}
	first := u.random.IntN(uniformWords)
	words := 1 + u.random.IntN(uniformWords-first)
	u.Check(u.stream().Copy(u.part(to, target+first, words), u.part(from, source+first, words)))
	copy(u.numbers[to][target+first:][:words], u.numbers[from][source+first:])
}

// replace frees memory, if there is any, and allocates other memory: for one uniform buffer, or for
// many.
func (u *uniformTest) replace(n int) {
	if u.memory[n] != nil {
		u.Check(u.memory[n].Free())
	}
	words := [...]int{1, 5, 2000}[n] * u.step
	u.memory[n], u.numbers[n] = u.Alloc(4*words), make([]uint32, words)
}

// change switches to the other stream, after the work of the first.
func (u *uniformTest) change() {
	u.Check(u.stream().Wait(context.Background()))
	u.at = 1 - u.at
}

// reading returns a launch that reads a uniform buffer.
func (u *uniformTest) reading(n, word int) *driver.Launch {
	return &driver.Launch{Kernel: u.read, Bindings: []driver.Slice{Whole(u.out), u.part(n, word, uniformWords)}, Grid: [3]uint32{1, 1, 1}}
}

func (u *uniformTest) launch() {
	n, word := u.any()
	u.Check(u.stream().Launch(u.reading(n, word)))
	p := u.numbers[n][word:]
	u.results[p[0]] += p[3] + p[4+4*p[1]+3]
}

// compare compares the results of all launches so far.
func (u *uniformTest) compare() {
	var got [16]uint32
	u.Check(u.stream().Read(Bytes(got[:]), Whole(u.out)))
	if got != u.results {
		u.Fatalf("got  %v\nwant %v", got, u.results)
	}
}

// launchesDoNotAllocate launches with a buffer that the host wrote, and with one that a kernel
// wrote.
func (u *uniformTest) launchesDoNotAllocate() {
	for _, written := range []string{"the host", "a kernel"} {
		u.set(1, 0, uniformWords)
		if written == "a kernel" {
			l := driver.Launch{Kernel: u.write, Bindings: []driver.Slice{u.part(1, 0, uniformWords)}, Grid: [3]uint32{1, 1, 1}}
			u.Check(u.stream().Launch(&l))
		}
		l := u.reading(1, 0)
		if allocations := testing.AllocsPerRun(200, func() { u.Check(u.stream().Launch(l)) }); allocations >= 1 && !RaceEnabled && runtime.GOOS != "js" {
			u.Errorf("a launch with what %s wrote allocates %v times", written, allocations)
		}
	}
	u.Check(u.stream().Wait(context.Background()))
}
