package main

import (
	"image/png"
	"os"
	"strings"
	"testing"
)

// TestRun runs the program with its own picture, and then with the result of that run.
func TestRun(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{nil, {"photograph.png"}} {
		var said strings.Builder
		if err := run(&said, args); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(said.String(), "wrote photograph.png, 640 by 480 pixels") {
			t.Errorf("it says %q", said.String())
		}
	}
	if err := run(new(strings.Builder), nil); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open("photograph.png")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	if r, g, b, _ := p.At(5, 5).RGBA(); r>>8 != 92 || g>>8 != 64 || b>>8 != 44 {
		t.Errorf("the table is %d %d %d", r>>8, g>>8, b>>8)
	}
	dark, bright := 0, 0 // lines, and the house
	for y := range height {
		for x := range width {
			switch r, g, b, _ := p.At(x, y).RGBA(); {
			case max(r, g, b) < 0x1800:
				dark++
			case min(r, g, b) > 0xa800:
				bright++
			}
		}
	}
	if dark < 1500 || dark > 40000 || bright < 3000 {
		t.Errorf("%d pixels are dark, and %d bright", dark, bright)
	}
	if err := run(new(strings.Builder), []string{"none.png"}); err == nil {
		t.Error("a missing picture is no error")
	}
}
