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
	for _, args := range [][]string{nil, {"edges.png"}} {
		var said strings.Builder
		if err := run(&said, args); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(said.String(), "wrote edges.png, 512 by 512 pixels") {
			t.Errorf("it says %q", said.String())
		}
		file, err := os.Open("edges.png")
		if err != nil {
			t.Fatal(err)
		}
		edges, err := png.Decode(file)
		file.Close()
		if err != nil {
			t.Fatal(err)
		}
		if r, _, _, _ := edges.At(64, 64).RGBA(); args == nil && r > 0x1000 { // inside of a disc
			t.Errorf("there is an edge of strength %#x in a disc", r)
		}
		if r, _, _, _ := edges.At(64+48, 64).RGBA(); args == nil && r < 0x4000 { // on its border
			t.Errorf("the border of a disc has strength %#x", r)
		}
	}
	if err := run(new(strings.Builder), []string{"none.png"}); err == nil {
		t.Error("a missing picture is no error")
	}
}
