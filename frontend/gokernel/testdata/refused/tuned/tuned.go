// Package tuned has directives of tuned constants that are wrong.
package tuned

import "github.com/gpuc/gpuc/runtime/gpu"

const none = 16 //gpuc:tune // want "//gpuc:tune lists the values that none may have, and there is none"

const alone = 16 //gpuc:tune 16 // want "16 is the only value of alone, which leaves nothing to choose"

const without = 16 //gpuc:tune 8 32 // want "without is 16, which is not among its values"

const twice = 16 //gpuc:tune 8 16 8 // want "8 is listed twice"

const commas = 16 //gpuc:tune 8,16,32 // want "//gpuc:tune lists integers, and 8,16,32 is none"

const word = 16 //gpuc:tune 8 none 16 // want "//gpuc:tune lists whole numbers from 1 to 2147483647, and none is none"

const zero = 16 //gpuc:tune 0 16 // want "//gpuc:tune lists whole numbers from 1 to 2147483647, and 0 is none"

const negative = 16 //gpuc:tune -8 16 // want "//gpuc:tune lists whole numbers from 1 to 2147483647, and -8 is none"

const large = 16 //gpuc:tune 16 4294967296 // want "//gpuc:tune lists whole numbers from 1 to 2147483647, and 4294967296 is none"

const fraction = 16 //gpuc:tune 1.5 16 // want "//gpuc:tune lists whole numbers from 1 to 2147483647, and 1.5 is none"

const half = 0.5 //gpuc:tune 1 2 // want "a tuned constant is a whole number from 1 to 2147483647, and half is 0.5"

const text = "16" //gpuc:tune 1 2 // want "a tuned constant is a whole number from 1 to 2147483647, and text is \"16\""

const nothing = 0 //gpuc:tune 1 2 // want "a tuned constant is a whole number from 1 to 2147483647, and nothing is 0"

const one, other = 1, 2 //gpuc:tune 1 2 // want "a tuned constant is declared by itself, and these are 2"

const _ = 16 //gpuc:tune 8 16 // want "a tuned constant has a name"

const (
	first = 16
	again //gpuc:tune 8 16 // want "a tuned constant has its value on its line, and again repeats the line above"
)

const (
	from   = iota + 16 //gpuc:tune 8 16 // want "the value of a tuned constant is its own, and behind repeats that of from"
	behind             // is 17, whatever from is
)

const tab = 16 //gpuc:tune	16 // want "16 is the only value of tab, which leaves nothing to choose"

// want+2 "//gpuc:tune is beside no constant of the package"
//
//gpuc:tune 8 16
const above = 16

var variable = 16 //gpuc:tune 8 16 // want "//gpuc:tune is beside no constant of the package"

// want+2 "the directive of tuned constants is //gpuc:tune"

const spaced = 16 // gpuc:tune 8 16

// want+2 "the directive of tuned constants is //gpuc:tune"

const misspelt = 16 //gpuc:tuned 8 16

const (
	colon  = 16 //gpuc:tune: 8 16 // want "the directive of tuned constants is //gpuc:tune"
	equals = 16 //gpuc:tune=8,16 // want "the directive of tuned constants is //gpuc:tune"
	hex    = 16 //gpuc:tuned 0x10 // want "the directive of tuned constants is //gpuc:tune"
)

// prose only speaks of
// gpuc:tune and of what it lists.
const prose = 16

const tile = 16 //gpuc:tune 8 16
const Tile = 16 //gpuc:tune 8 16 // want "Tile is what variants call another tuned constant, too"

// K depends on some.
//
//gpuc:kernel workgroup=tile
func K(it gpu.Item, x []float32) {
	const local = 16 //gpuc:tune 8 16 // want "//gpuc:tune is beside no constant of the package"
	x[it.Index()] = Tile + local
}
