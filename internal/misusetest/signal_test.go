package misusetest

import "github.com/gpuc/gpuc/kernels/signal"

// planned makes a plan on the stream of the call, and calls it.
func planned[P interface{ Close() error }](p P, err error, call func() error) error {
	if err != nil {
		return err
	}
	err = call()
	if failed := p.Close(); err == nil {
		err = failed
	}
	return err
}

func signalRows() []row {
	type f = float32
	type c = complex64
	return []row{
		{name: "signal.FIR", call: func(k *kit) error { return signal.FIR(k.s, in[f](k, 3), in[f](k, 12), out[f](k, 12), 1, 1) }, lengths: []int{0}},
		{name: "signal.Sections", call: func(k *kit) error {
			return signal.Sections(k.s, in[f](k, 6), out[f](k, 4), in[f](k, 12), out[f](k, 12), 2)
		}},
		{name: "signal.ApplyWindow", call: func(k *kit) error { return signal.ApplyWindow(k.s, in[f](k, 5), out[f](k, 10)) }},
		{name: "signal.PlanFFT", call: func(k *kit) error {
			p, err := signal.PlanFFT[c](k.s, []int{4}, 3)
			return planned(p, err, func() error { return p.Forward(in[c](k, 12), out[c](k, 12)) })
		}, allowed: [][2]int{{0, 1}}},
		{name: "signal.PlanFFT of a prime size", call: func(k *kit) error {
			p, err := signal.PlanFFT[c](k.s, []int{17}, 1)
			return planned(p, err, func() error { return p.Inverse(in[c](k, 17), out[c](k, 17)) })
		}, allowed: [][2]int{{0, 1}}},
		{name: "signal.PlanRealFFT", call: func(k *kit) error {
			p, err := signal.PlanRealFFT[f, c](k.s, []int{4}, 3)
			return planned(p, err, func() error { return p.Forward(in[f](k, 12), out[c](k, 9)) })
		}},
		{name: "signal.PlanRealFFT, back", call: func(k *kit) error {
			p, err := signal.PlanRealFFT[f, c](k.s, []int{4}, 3)
			return planned(p, err, func() error { return p.Inverse(in[c](k, 9), out[f](k, 12)) })
		}},
		{name: "signal.PlanConvolution", call: func(k *kit) error {
			p, err := signal.PlanConvolution[f](k.s, []int{12}, []int{5}, 1, signal.Same)
			return planned(p, err, func() error { return p.Convolve(in[f](k, 12), in[f](k, 5), out[f](k, 12)) })
		}},
		{name: "signal.PlanConvolution by spectra", call: func(k *kit) error {
			p, err := signal.PlanConvolution[f](k.s, []int{12}, []int{5}, 1, signal.Same, signal.By(signal.ByFFT))
			return planned(p, err, func() error { return p.Correlate(in[f](k, 12), in[f](k, 5), out[f](k, 12)) })
		}},
		{name: "signal.PlanSTFT", call: func(k *kit) error {
			p, err := signal.PlanSTFT[f, c](k.s, 12, 1, signal.Hann(4), 2)
			return planned(p, err, func() error { return p.Forward(in[f](k, 12), out[c](k, 15)) })
		}},
		{name: "signal.PlanSTFT, back", call: func(k *kit) error {
			p, err := signal.PlanSTFT[f, c](k.s, 12, 1, signal.Hann(4), 2)
			return planned(p, err, func() error { return p.Inverse(in[c](k, 15), out[f](k, 12)) })
		}},
		{name: "signal.PlanDCT", call: func(k *kit) error {
			p, err := signal.PlanDCT[f](k.s, 2, 12, 1)
			return planned(p, err, func() error { return p.Transform(in[f](k, 12), out[f](k, 12)) })
		}, allowed: [][2]int{{0, 1}}},
	}
}
