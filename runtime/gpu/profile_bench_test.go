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
// profile, and with three: one that counts, the usual one, and one that times all. Steps of all
// alternate, in blocks of about 20 ms, so that changes of the machine meet all of them. A round is
// two blocks without a profile and one with each, of the one that times all only now and then. All
// times are of the host, from the first launch of a step until it was waited for:
//
//	off-µs        a launch, without a profile
//	noise-%       how much the two blocks without a profile differ, as the median of rounds
//	count-%       what counting launches costs more than the mean of these two, as the median
//	on-µs, all-µs a launch, with a profile
//	on-%, all-%   what the profile costs, as count-%
//	timed-%       launches that the usual profile has timed
//	each-µs       the mean time of launches, as the usual profile says
//	all-each-µs   the same, as the one that times all says
//
// 60 rounds take about 5 seconds, and leave an error of some 0.2 %.
//
//	go test ./runtime/gpu -run - -bench Profile/
//	CGO_ENABLED=0 go test -c -o gpu.test ./runtime/gpu   # for another machine, and there:
//	./gpu.test -test.run - -test.bench Profile/ -test.benchtime 60x -profile-device cuda:0
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
			{"replays of 256", 256, true},
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
	steps := max(1, int(20*time.Millisecond/max(time.Since(start), 1)))
	of := [profileModes]profileBlocks{
		profileCount: {options: &gpu.ProfileOptions{MaxOverhead: 1e-9}}, profileOn: {options: &gpu.ProfileOptions{}},
		profileAll: {options: &gpu.ProfileOptions{MaxOverhead: 1}},
	}
	for round := 0; b.Loop(); round++ {
		for n := range of {
			mode := (n + round) % profileModes
			o, steps := &of[mode], steps
			if mode == profileAll { // which takes several times as long
				if steps = max(1, steps/4); round%4 != 0 {
					continue
				}
			}
			if o.options != nil {
				o.profile, err = gpu.StartProfile(*o.options)
				failed(err)
				step() // what a profile does once
			}
			start := time.Now()
			for range steps {
				step()
			}
			o.rounds = append(o.rounds, round)
			o.times = append(o.times, float64(time.Since(start).Nanoseconds())/1e3/float64(steps*launches))
			if o.profile != nil {
				failed(o.profile.Stop())
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	reportProfiles(b, &of, replay, launches)
}

// The modes of BenchmarkProfile.
const (
	profileOff = iota
	profileNoise
	profileCount
	profileOn
	profileAll
	profileModes
)

// profileBlocks are the blocks of a mode.
type profileBlocks struct {
	options *gpu.ProfileOptions // nil without a profile
	profile *gpu.Profile        // the last one
	rounds  []int
	times   []float64 // of a launch, in µs
}

func reportProfiles(b *testing.B, of *[profileModes]profileBlocks, replay bool, launches int) {
	median := func(list []float64) float64 {
		sorted := slices.Sorted(slices.Values(list))
		return sorted[len(sorted)/2]
	}
	names := [profileModes]string{"off", "noise", "count", "on", "all"}
	for mode := range of {
		o := &of[mode]
		if mode != profileNoise && mode != profileCount {
			b.ReportMetric(median(o.times), names[mode]+"-µs")
		}
		if mode == profileOff {
			continue
		}
		var more []float64
		for n, round := range o.rounds {
			base := of[profileOff].times[round]
			if mode != profileNoise {
				base = (base + of[profileNoise].times[round]) / 2
			}
			more = append(more, 100*(o.times[n]/base-1))
		}
		b.ReportMetric(median(more), names[mode]+"-%")
	}
	for mode, prefix := range map[int]string{profileOn: "", profileAll: "all-"} {
		report := of[mode].profile.Report()
		w := report.Devices[0].Kernels
		if replay {
			w = report.Devices[0].Replays
		} else {
			launches = 1
		}
		b.ReportMetric(w[0].Mean().Seconds()*1e6/float64(launches), prefix+"each-µs")
		if mode == profileOn {
			b.ReportMetric(100*float64(w[0].Timed)/float64(w[0].Count), "timed-%")
			b.Log(fmt.Sprint(report))
		}
	}
}
