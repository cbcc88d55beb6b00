package main

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"runtime/pprof"
	"sort"
	"strings"
	"syscall"
	"time"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

const saxpy = `
struct P { a: f32, n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) g: vec3u) {
  let i = g.x; if (i < p.n) { y[i] = p.a * x[i] + y[i]; }
}`
const reduce = `
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
var<workgroup> s: array<f32, 256>;
@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) g: vec3u, @builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3u) {
  s[l] = x[g.x]; workgroupBarrier();
  for (var k = 128u; k > 0u; k = k >> 1u) { if (l < k) { s[l] = s[l] + s[l + k]; } workgroupBarrier(); }
  if (l == 0u) { y[w.x] = s[0]; }
}`
const naive = `
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;
@compute @workgroup_size(16,16) fn main(@builtin(global_invocation_id) g: vec3u) {
  let n = p.n; if (g.x >= n || g.y >= n) { return; }
  var s = 0.0; for (var k = 0u; k < n; k++) { s += a[g.y*n+k] * b[k*n+g.x]; } c[g.y*n+g.x] = s;
}`
const tiled = `
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;
var<workgroup> ta: array<array<f32,16>,16>;
var<workgroup> tb: array<array<f32,16>,16>;
@compute @workgroup_size(16,16) fn main(@builtin(global_invocation_id) g: vec3u, @builtin(local_invocation_id) l: vec3u) {
  let n = p.n; var s = 0.0;
  for (var t = 0u; t < n; t += 16u) {
    ta[l.y][l.x] = a[g.y*n + t + l.x]; tb[l.y][l.x] = b[(t+l.y)*n + g.x]; workgroupBarrier();
    for (var k = 0u; k < 16u; k++) { s += ta[l.y][k] * tb[k][l.x]; } workgroupBarrier();
  }
  c[g.y*n+g.x] = s;
}`
const mandel = `
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(3) var<storage, read_write> c: array<u32>;
@compute @workgroup_size(16,16) fn main(@builtin(global_invocation_id) g: vec3u) {
  let n = p.n;
  let cx = f32(g.x) / f32(n) * 3.0 - 2.0; let cy = f32(g.y) / f32(n) * 2.0 - 1.0;
  var x = 0.0; var y = 0.0; var k = 0u;
  loop { if (k >= 256u || x*x + y*y > 4.0) { break; } let t = x*x - y*y + cx; y = 2.0*x*y + cy; x = t; k++; }
  c[g.y*n+g.x] = k;
}`

func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func main() {
	devices := flag.String("devices", "columns,vulkan:0", "")
	only := flag.String("only", "saxpy,reduce,naive,tiled,mandel", "")
	rounds := flag.Int("rounds", 3, "")
	profile := flag.String("cpuprofile", "", "")
	flag.Parse()
	if *profile != "" {
		f, _ := os.Create(*profile)
		pprof.StartCPUProfile(f)
		defer pprof.StopCPUProfile()
	}
	type kernelOf struct {
		name, text string
		n          uint32
		grid       [3]uint32
		sizes      [3]int
	}
	list := []kernelOf{
		{"saxpy", saxpy, 1 << 24, [3]uint32{65535, 1, 1}, [3]int{1 << 24, 1 << 24, 0}},
		{"reduce", reduce, 1 << 24, [3]uint32{65535, 1, 1}, [3]int{1 << 24, 1 << 16, 0}},
		{"naive", naive, 1024, [3]uint32{64, 64, 1}, [3]int{1 << 20, 1 << 20, 1 << 20}},
		{"tiled", tiled, 1024, [3]uint32{64, 64, 1}, [3]int{1 << 20, 1 << 20, 1 << 20}},
		{"mandel", mandel, 2048, [3]uint32{128, 128, 1}, [3]int{0, 0, 1 << 22}},
	}
	ctx := context.Background()
	type state struct {
		name  string
		run   func()
		sum   func() uint32
		times []float64
		wall  []float64
	}
	for _, k := range list {
		if !strings.Contains(*only, k.name) {
			continue
		}
		var states []*state
		for _, name := range strings.Split(*devices, ",") {
			dn := name
			os.Unsetenv("GPUC_CPU")
			if !strings.Contains(name, ":") {
				os.Setenv("GPUC_CPU", name)
				dn = "cpu:0"
			}
			d, err := gpu.Open(gpu.Named(dn))
			check(err)
			p, err := jit.Parse("x.wgsl", k.text, codegen.Options{})
			check(err)
			kernel, err := p.Load(d, "main")
			check(err)
			s, err := d.NewStream()
			check(err)
			args := kernel.Args()
			pb := []uint32{k.n, 0}
			if k.name == "saxpy" {
				pb = []uint32{math.Float32bits(0.5), k.n}
			}
			var out *gpu.Buffer[float32]
			var outSize int
			for n, b := range kernel.Describe().Arguments() {
				if b.Binding == 0 {
					u, err := gpu.Upload(ctx, d, pb)
					check(err)
					check(args.Set(n, u))
					continue
				}
				size := k.sizes[b.Binding-1]
				data := make([]float32, size)
				for i := range data {
					data[i] = float32((i*7+int(b.Binding))%32) / 16
				}
				u, err := gpu.Upload(ctx, d, data)
				check(err)
				if err := args.Set(n, u); err != nil {
					ub, err := gpu.Upload(ctx, d, make([]uint32, size))
					check(err)
					check(args.Set(n, ub))
					continue
				}
				out, outSize = u, size
			}
			st := &state{name: name}
			st.run = func() {
				check(s.Launch(args, gpu.Grid{X: k.grid[0], Y: k.grid[1], Z: k.grid[2]}))
				check(s.Wait(ctx))
			}
			st.sum = func() uint32 {
				host := make([]float32, outSize)
				if out == nil {
					return 0
				}
				check(out.Read(ctx, s, host))
				h := crc32.NewIEEE()
				binary.Write(h, binary.LittleEndian, host)
				return h.Sum32()
			}
			st.run()
			states = append(states, st)
		}
		for range *rounds {
			for _, st := range states {
				t, w := cpuTime(), time.Now()
				st.run()
				st.times = append(st.times, (cpuTime() - t).Seconds()*1e3)
				st.wall = append(st.wall, time.Since(w).Seconds()*1e3)
			}
		}
		for _, st := range states {
			sort.Float64s(st.times)
			sort.Float64s(st.wall)
			fmt.Printf("%-8s %-12s cpu %9.2f ms  wall %9.2f ms  %08x\n", k.name, st.name, st.times[len(st.times)/2], st.wall[len(st.wall)/2], st.sum())
		}
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
