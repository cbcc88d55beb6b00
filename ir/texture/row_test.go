package texture

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestRows: rows load and store, in every format and shape, what texels one by one do, inside of the level and beside it, and count as much.
func TestRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	tried := 0
	for format := NoFormat + 1; format < Formats; format++ {
		for shape := range Shapes {
			about := shape.Info()
			d := shape.Describe(format, 7, 5, 3, 2, 3)
			if about.Dimension == Cube || about.Multisampled || d.Check() != nil || d.Fits(shape, format) != nil {
				continue
			}
			var one, many Traffic
			a, b := NewImage(&d), NewImage(&d)
			for level := range d.Levels {
				for n := range a.Level(level) {
					a.Level(level)[n] = byte(rng.Uint32())
				}
				copy(b.Level(level), a.Level(level))
			}
			for turn := range 8 {
				tried++
				at := Handle{Image: a, Traffic: &one}
				if shape.HasLevels() {
					at.Level = uint32(turn) % d.Levels
				}
				row := Row{Lanes: rng.Uint64() | rng.Uint64()}
				if shape.HasLevels() {
					row.Level = rng.Uint32N(4)
				}
				var from, to, want [4]Column
				for k := range RowLanes {
					row.X[k] = rng.Uint32N(9)
					if s := shape.SizeComponents(); s > 1 {
						row.Y[k] = rng.Uint32N(7)
						if s > 2 {
							row.Z[k] = rng.Uint32N(5)
						}
					}
					if about.Arrayed {
						row.Layer[k] = rng.Uint32N(4)
					}
					if rng.Uint32N(8) == 0 {
						row.X[k] = rng.Uint32() // far away, or negative
					}
					for c := range from {
						from[c][k] = rng.Uint32() >> (rng.Uint32N(3) * 8)
					}
				}
				for k := range RowLanes {
					if row.Lanes>>k&1 == 0 {
						continue
					}
					p := Place{X: row.X[k], Y: row.Y[k], Z: row.Z[k], Layer: row.Layer[k], Level: row.Level}
					if turn%2 == 0 {
						for c, x := range at.Load(shape, &p) {
							want[c][k] = uint32(x)
						}
					} else {
						at.Store(shape, &p, Texel{uint64(from[0][k]), uint64(from[1][k]), uint64(from[2][k]), uint64(from[3][k])})
					}
				}
				other := at
				other.Image, other.Traffic = b, &many
				if turn%2 == 0 {
					other.LoadRow(shape, &row, &to)
				} else {
					other.StoreRow(shape, &row, &from)
				}
				if to != want {
					t.Fatalf("%s of %s: a row loads\n%x, one by one\n%x", shape, format, to, want)
				}
				for level := range d.Levels {
					if !bytes.Equal(a.Level(level), b.Level(level)) {
						t.Fatalf("%s of %s: a row stores something else in level %d", shape, format, level)
					}
				}
				if one.Read.Load() != many.Read.Load() || one.Written.Load() != many.Written.Load() {
					t.Fatalf("%s of %s: a row counts %d and %d bytes, one by one %d and %d", shape, format, many.Read.Load(), many.Written.Load(), one.Read.Load(), one.Written.Load())
				}
			}
		}
	}
	if tried < 1000 {
		t.Errorf("only %d rows were tried", tried)
	}
}
