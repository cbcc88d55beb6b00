package memlimit

import (
	"fmt"
	"strconv"
	"strings"
)

// Size is a flag's value that is a number of bytes, such as 256MB.
type Size uint64

// sizeUnits are the units of sizes. "B" is last, as the others end in it.
var sizeUnits = []struct {
	name  string
	bytes uint64
}{{"GB", 1 << 30}, {"MB", 1 << 20}, {"KB", 1 << 10}, {"B", 1}}

func (s *Size) String() string {
	for _, u := range sizeUnits {
		if n := uint64(*s); n >= u.bytes && n%u.bytes == 0 {
			return strconv.FormatUint(n/u.bytes, 10) + u.name
		}
	}
	return "0B"
}

func (s *Size) Set(text string) error {
	number, unit := text, uint64(1)
	for _, u := range sizeUnits {
		if before, found := strings.CutSuffix(strings.ToUpper(text), u.name); found {
			number, unit = before, u.bytes
			break
		}
	}
	n, err := strconv.ParseUint(strings.TrimSpace(number), 10, 32)
	if err != nil {
		return fmt.Errorf("want a size, such as 256MB or 1GB")
	}
	*s = Size(n * unit)
	return nil
}
