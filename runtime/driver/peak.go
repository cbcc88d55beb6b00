// The peak performance of devices whose drivers do not report clocks.

package driver

import "strings"

// knownPeaks are the peaks of cards by NVIDIA's data sheets. Name is the end of the device's name.
var knownPeaks = [...]struct {
	name         string
	bytes, flops float64
}{
	{"H200", 4.8e12, 66.9e12},
	{"H100 80GB HBM3", 3.35e12, 66.9e12},
	{"H100 PCIe", 2.0e12, 51.2e12},
	{"A100-SXM4-80GB", 2.039e12, 19.5e12},
	{"RTX 4090", 1.008e12, 82.6e12},
	{"NVIDIA L4", 0.3e12, 30.3e12},
}

// IsKnown reports whether the peak has a figure.
func (p Peak) IsKnown() bool { return p.BytesPerSecond > 0 || p.FlopsPerSecond > 0 }

// PeakOf returns the peak that a device's driver reports, or that of the card's data sheet. It is
// zero if neither is known.
func PeakOf(i *Info) Peak {
	if i.Peak.IsKnown() {
		return i.Peak
	}
	for _, row := range knownPeaks {
		if strings.HasSuffix(i.Name, row.name) {
			return Peak{BytesPerSecond: row.bytes, FlopsPerSecond: row.flops}
		}
	}
	return Peak{}
}
