package signal

import "math"

// This file has windows, the weights of samples of a frame. They are computed on the host.

// Window is a function that returns a symmetric window of n weights. One weight is 1.
type Window func(n int) []float64

// Periodic returns the first n weights of a window of n+1: of those that are shifted by a part
// of n, the sum is constant for many windows. It is what a spectrogram needs.
func Periodic(w Window, n int) []float64 {
	if n <= 0 || w == nil {
		return nil
	}
	return w(n + 1)[:n]
}

// cosineSum is the sum of terms a[k]·(-1)^k·cos(2πki/(n-1)).
func cosineSum(n int, a ...float64) []float64 {
	return made(n, func(x float64) (sum float64) {
		for k, v := range a {
			if k%2 == 1 {
				v = -v
			}
			sum += v * math.Cos(2*math.Pi*float64(k)*x)
		}
		return sum
	})
}

// made returns the values of a function at n numbers from 0 to 1.
func made(n int, f func(x float64) float64) []float64 {
	if n <= 0 {
		return nil
	}
	list := make([]float64, n)
	for i := range list {
		if n == 1 {
			return []float64{1}
		}
		// from both ends, so that it is symmetric to the bit
		list[i] = f(float64(min(i, n-1-i)) / float64(n-1))
	}
	return list
}

// Rectangular is 1.
func Rectangular(n int) []float64 { return made(n, func(float64) float64 { return 1 }) }

// Bartlett is a triangle, zero at both ends.
func Bartlett(n int) []float64 { return made(n, func(x float64) float64 { return 2 * x }) }

// Sine is half a period of a sine, zero at both ends.
func Sine(n int) []float64 {
	return made(n, func(x float64) float64 { return math.Sin(math.Pi * x) })
}

// Hann is a raised cosine, zero at both ends.
func Hann(n int) []float64 { return cosineSum(n, 0.5, 0.5) }

// Hamming is a raised cosine with less of the first side lobe.
func Hamming(n int) []float64 { return cosineSum(n, 0.54, 0.46) }

// Blackman is a sum of three cosines (Blackman and Tukey, 1958).
func Blackman(n int) []float64 { return cosineSum(n, 0.42, 0.5, 0.08) }

// BlackmanHarris is a sum of four cosines with side lobes below -92 dB (Harris, "On the use of
// windows for harmonic analysis with the discrete Fourier transform", 1978).
func BlackmanHarris(n int) []float64 { return cosineSum(n, 0.35875, 0.48829, 0.14128, 0.01168) }

// Nuttall is a sum of four cosines with side lobes below -93 dB (Nuttall, "Some windows with
// very good sidelobe behavior", 1981).
func Nuttall(n int) []float64 { return cosineSum(n, 0.3635819, 0.4891775, 0.1365995, 0.0106411) }

// FlatTop is a sum of five cosines, for amplitudes of lines between two frequencies (D'Antona
// and Ferrero, "Digital signal processing for measurement systems", 2006).
func FlatTop(n int) []float64 {
	return cosineSum(n, 0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368)
}

// Gaussian returns a bell curve whose standard deviation is so many samples.
func Gaussian(deviation float64) Window {
	return func(n int) []float64 {
		return made(n, func(x float64) float64 {
			d := (x - 0.5) * float64(n-1) / deviation
			return math.Exp(-d * d / 2)
		})
	}
}

// Tukey returns a window whose ends are cosines; taper is their part of it, from 0 to 1.
func Tukey(taper float64) Window {
	return func(n int) []float64 {
		return made(n, func(x float64) float64 {
			if x >= taper/2 {
				return 1
			}
			return (1 - math.Cos(2*math.Pi*x/taper)) / 2
		})
	}
}

// Kaiser returns a window that exchanges the width of the main lobe for side lobes, by beta.
// Source: Kaiser and Schafer, "On the use of the I0-sinh window for spectrum analysis", 1980.
func Kaiser(beta float64) Window {
	return func(n int) []float64 {
		return made(n, func(x float64) float64 {
			d := 2*x - 1
			return bessel(beta*math.Sqrt(1-d*d)) / bessel(beta)
		})
	}
}

// bessel is the modified Bessel function of the first kind and order 0, by its power series.
func bessel(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > sum*1e-17; k++ {
		term *= x / (2 * k) * (x / (2 * k))
		sum += term
	}
	return sum
}
