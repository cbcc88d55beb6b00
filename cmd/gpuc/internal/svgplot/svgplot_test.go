package svgplot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// TestPlot parses a plot, and compares the heights of the points.
func TestPlot(t *testing.T) {
	times := []time.Duration{time.Millisecond, 2 * time.Millisecond, 4 * time.Millisecond}
	d := xml.NewDecoder(bytes.NewReader(Plot("a < b", times, []Line{{"p95", "#c60", times[2]}, {"median", "#06c", times[1]}, {"fastest", "#090", times[0]}})))
	var heights []string
	text := ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if e.Name.Local == "circle" {
				for _, a := range e.Attr {
					if a.Name.Local == "cy" {
						heights = append(heights, a.Value)
					}
				}
			}
		case xml.CharData:
			text += string(e)
		}
	}
	// the axis goes from 0 at 316 to 4 ms at 40: 69 pixels a millisecond
	if got := strings.Join(heights, " "); got != "247.0 178.0 40.0" {
		t.Errorf("the times are at %s", got)
	}
	for _, want := range []string{"a < b", "median", "p95", "fastest", "run, 1 to 3", "4.000 ms"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not say %q", text, want)
		}
	}
}
