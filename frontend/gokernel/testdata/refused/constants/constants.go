// Package constants has constants that the numbers of devices do not hold.
package constants

import (
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

const big = 1 << 40

type id int

const (
	_    = iota
	kilo = 1 << (10 * iota)
	mega
	giga
	tera
)

func less(n int) bool { return n < 5 }

//gpuc:kernel workgroup=64
func Constants(it gpu.Item, x []int32) {
	a := 1 << 31                  // want "1 << 31 is 2147483648, which does not fit into the int of devices"
	b := big                      // want "big is 1099511627776, which does not fit into the int of devices"
	var c uint = 1 << 32          // want "1 << 32 is 4294967296, which does not fit into the uint of devices"
	d := ^uint(0)                 // want "\^uint\(0\) is 18446744073709551615, which does not fit into the uint of devices"
	e := -1<<31 - 1               // want "-1 << 31 - 1 is -2147483649, which does not fit into the int of devices"
	if it.Index() < math.MaxInt { // want "math\.MaxInt is 9223372036854775807, which does not fit into the int of devices"
		x[0] = 1
	}
	f := id(5_000_000_000)      // want "id\(5_000_000_000\) is 5000000000, which does not fit into the int of devices"
	for i := 0; i < tera; i++ { // want "tera is 1099511627776, which does not fit into the int of devices"
		x[1]++
	}
	if less(math.MaxInt64) { // want "math\.MaxInt64 is 9223372036854775807, which does not fit into the int of devices"
		x[2] = 1
	}
	x[3] = int32(a + b + int(c) + int(d) + e + int(f))
	switch it.Index() {
	case 1 << 33: // want "1 << 33 is 8589934592, which does not fit into the int of devices"
		x[4] = 1
	}
	list := [2]int{1, 1 << 50} // want "1 << 50 is 1125899906842624, which does not fit into the int of devices"
	x[5] = int32(list[0])
	x[6] = int32(it.Index() & 0xffffffff) // want "0xffffffff is 4294967295, which does not fit into the int of devices"
	var g uint
	g |= 0xfedcba9876543210 // want "0xfedcba9876543210 is 18364758544493064720, which does not fit into the uint of devices"
	x[7] = int32(g)
	x[8] = int32(uint(math.MaxUint) >> it.Index()) // want "uint\(math\.MaxUint\) is 18446744073709551615, which does not fit into the uint of devices"
}
