package gpu_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

var profileDevice = flag.String("profile-device", "", "of BenchmarkProfile: the device, or all but interpreters")

// BenchmarkProfile compares steps of small kernels, as those of a training loop. They run without a
// profile, and with three: one that counts, the usual one, and one that times all. Steps of the
// four alternate, in blocks of about 50 ms, so that changes of the machine meet all of them. All
// times are of the host, from the first launch of a step until it was waited for:
//
//	off-µs        a launch, without a profile
//	count-%       what counting launches costs, as the median of pairs of blocks
//	on-µs, all-µs a launch, with a profile
//	on-%, all-%   what the profile costs, as the median of pairs of blocks
//	timed-%       launches that the usual profile has timed
//	each-µs       the mean time of launches, as the usual profile says
//	all-each-µs   the same, as the one that times all says
//
//	go test ./runtime/gpu -run - -bench Profile
//	CGO_ENABLED=0 go test -c -o gpu.test ./runtime/gpu   # for another machine, and there:
//	./gpu.test -test.run - -test.bench Profile -test.benchtime 100x -profile-device cuda:0
func BenchmarkProfile(b *testing.B) {
	program, err := jit.Parse("add.wgsl", addSource, codegen.Options{})
	if err != nil {
		b.Fatal(err)
	}
	infos, err := gpu.Devices()
	if err != nil {
		b.Error(err)
	}
	for _, info := range infos {
		if id := info.ID(); id != *profileDevice && (*profileDevice != "" || info.Driver == gpu.CPU && info.Index != 0) {
			continue
		}
		for _, c := range []struct {
			name   string
			words  int
			replay bool
		}{
			{"launches of 256", 256, false}, {"launches of 65536", 1 << 16, false}, {"launches of 2097152", 1 << 21, false},
			{"replays of 256", 256, true}, {"replays of 65536", 1 << 16, true},
		} {
			b.Run(info.ID()+"/"+c.name, func(b *testing.B) { benchmarkProfile(b, program, info.ID(), c.words, c.replay) })
		}
	}
}

func benchmarkProfile(b *testing.B, program *jit.Program, name string, words int, replay bool) {
	failed := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	d, err := gpu.Open(gpu.Named(name))
	failed(err)
	defer d.Close()
	s, err := d.NewStream()
	failed(err)
	k, err := program.Load(d, "main")
	failed(err)
	x, err := gpu.Alloc[uint32](d, words)
	failed(err)
	args := k.Args()
	failed(args.Set(0, x))
	grid := k.Cover(uint32(words), 1, 1)
	const launches = 100 // of a step
	launch := func() error {
		for range launches {
			if err := s.Launch(args, grid); err != nil {
				return err
			}
		}
		return nil
	}
	step := func() {
		failed(launch())
		failed(s.Wait(context.Background()))
	}
	if replay {
		r, err := s.Capture(launch)
		failed(err)
		defer r.Close()
		step = func() {
			failed(r.Replay(s))
			failed(s.Wait(context.Background()))
		}
	}
	for range 5 {
		step()
	}
	start := time.Now()
	step()
	steps := max(1, int(50*time.Millisecond/max(time.Since(start), 1)))
	modes := []gpu.ProfileOptions{{}, {MaxOverhead: 1e-9}, {}, {MaxOverhead: 1}}
	times := make([][]float64, len(modes)) // of a launch, in µs
	var reports [4]gpu.ProfileReport
	for round := 0; b.Loop(); round++ {
		for n := range modes {
			mode := (n + round) % len(modes)
			var p *gpu.Profile
			if mode > 0 {
				p, err = gpu.StartProfile(modes[mode])
				failed(err)
				step() // what a profile does once
			}
			start := time.Now()
			for range steps {
				step()
			}
			times[mode] = append(times[mode], float64(time.Since(start).Nanoseconds())/1e3/float64(steps*launches))
			if p != nil {
				reports[mode] = p.Report()
				failed(p.Stop())
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	median := func(list []float64) float64 {
		sorted := slices.Sorted(slices.Values(list))
		return sorted[len(sorted)/2]
	}
	for mode, name := range []string{"off", "count", "on", "all"} {
		if mode != 1 {
			b.ReportMetric(median(times[mode]), name+"-µs")
		}
		if mode > 0 {
			var more []float64
			for n, t := range times[mode] {
				more = append(more, 100*(t/times[0][n]-1))
			}
			b.ReportMetric(median(more), name+"-%")
		}
	}
	for mode, prefix := range []string{"", "", "", "all-"} {
		if mode < 2 {
			continue
		}
		of := reports[mode].Devices[0]
		w, launches := of.Kernels, 1
		if replay {
			w, launches = of.Replays, 100
		}
		b.ReportMetric(w[0].Mean().Seconds()*1e6/float64(launches), prefix+"each-µs")
		if mode == 2 {
			b.ReportMetric(100*float64(w[0].Timed)/float64(w[0].Count), "timed-%")
			b.Log(fmt.Sprint(reports[mode]))
		}
	}
}
