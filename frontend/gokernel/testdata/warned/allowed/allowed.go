// Package allowed has warnings that comments silence, and comments that silence none.
package allowed

import "github.com/gpuc/gpuc/runtime/gpu"

// Silenced has a comment of each kind.
//
//gpuc:allow unused-parameter for later
//gpuc:kernel workgroup=64
func Silenced(it gpu.Item, factor float32, u uint32, x []float32) {
	if u >= 0 { //gpuc:allow constant-comparison
		x[0] = 1
	}
	// gpuc:allow float-equality, constant-comparison both
	// are known.
	if u < 0 || x[0]*x[1] == 1 {
		x[1] = 1
	}
	y := 0.5 //gpuc:allow go-float64
	x[2] = float32(y)
	z := 0.25 // want "z is a float64, as a constant with a point makes one"
	x[3] = float32(z)
}

// text has the words within quotes.
const text = "//gpuc:allow float-equality"

//gpuc:kernel workgroup=64
func Loud(it gpu.Item, url uint32, x []float32) {
	it.Printf("http://example.com %v", url) //gpuc:allow unused-variable // want "nothing warns of `unused-variable` on line 30"
	x[0] = 1                                //gpuc:allow unused-variabel // want "there is no diagnostic `unused-variabel` to allow"
	x[1] = 1                                //gpuc:allow // want "this comment names no code, and so allows nothing"
	//gpuc:allow unreachable-code // want "nothing warns of `unreachable-code` on line 34"
	x[2] = 1
}
