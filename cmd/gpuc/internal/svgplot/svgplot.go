// Package svgplot draws the times of repeated runs as an SVG image. It shows what a median hides: a
// slow first run, clocks that rise, another program.
package svgplot

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/textfmt"
)

// Signature is how the images begin.
const Signature = `<svg xmlns="http://www.w3.org/2000/svg" data-made-by="gpuc run"`

// The size of the image and its margins, in pixels.
const (
	plotWidth, plotHeight = 720, 360
	plotLeft, plotTop     = 72, 40
	plotRight, plotBottom = 96, 44
)

// Line is a dashed horizontal line with a name at its right end.
type Line struct {
	Name, Colour string
	At           time.Duration
}

// Plot draws one or more times as points from left to right, over an axis that begins at 0, and
// lines, the longest time first.
func Plot(title string, times []time.Duration, lines []Line) []byte {
	var b strings.Builder
	most := 0.0
	for _, t := range times {
		most = max(most, float64(t))
	}
	top := niceStep(most/4) * math.Ceil(most/niceStep(most/4))
	top = max(top, 1)
	x := func(n int) float64 {
		return plotLeft + (float64(n)+0.5)*(plotWidth-plotLeft-plotRight)/float64(len(times))
	}
	y := func(t float64) float64 { return plotHeight - plotBottom - t/top*(plotHeight-plotTop-plotBottom) }
	fmt.Fprintf(&b, "%s width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
		Signature, plotWidth, plotHeight)
	fmt.Fprintf(&b, "<text x=\"%d\" y=\"22\" font-size=\"14\">%s</text>\n", plotLeft, html.EscapeString(title))
	for v := 0.0; v <= top*1.0001; v += niceStep(most / 4) {
		fmt.Fprintf(&b, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
			plotLeft, plotWidth-plotRight, y(v), y(v), plotLeft-6, y(v)+4, textfmt.Duration(time.Duration(v)))
	}
	labels := math.Inf(1) // the labels of lines are at least 14 pixels apart
	for _, line := range slices.Backward(lines) {
		fmt.Fprintf(&b, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-dasharray=\"4 3\"><title>%s %s</title></line>\n",
			plotLeft, plotWidth-plotRight, y(float64(line.At)), y(float64(line.At)), line.Colour, line.Name, textfmt.Duration(line.At))
		labels = min(y(float64(line.At)), labels-14)
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%.1f\" fill=\"%s\">%s</text>\n", plotWidth-plotRight+6, labels+4, line.Colour, line.Name)
	}
	for n, t := range times {
		fmt.Fprintf(&b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#333\"><title>run %d: %s</title></circle>\n", x(n), y(float64(t)), n+1, textfmt.Duration(t))
	}
	fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">run, 1 to %d</text>\n</svg>\n", (plotLeft+plotWidth-plotRight)/2, plotHeight-12, len(times))
	return []byte(b.String())
}

// niceStep returns the smallest number of the form 1, 2 or 5 times a power of ten that is at least
// x.
func niceStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(max(x, 1))))
	for _, n := range []float64{1, 2, 5} {
		if n*power >= x {
			return n * power
		}
	}
	return 10 * power
}
