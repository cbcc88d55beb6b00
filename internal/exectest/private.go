package exectest

// privateLarge has variables of each invocation that some drivers have no room for.
func privateLarge() Case {
	const invocations, length = 24, 5120
	input := build(invocations, func(i int) uint32 { return uint32(i*i*977+13) % 4099 })
	primes := []uint32{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}
	powers := []uint32{1, 10, 100, 1000, 10000}
	// own is what an invocation's array holds at an index. The index that it was written from
	// follows from the inverse of 7 modulo the length.
	inverse := 0
	for 7*inverse%length != 1 {
		inverse++
	}
	own := func(n, at int) uint32 { return uint32(inverse*at%length*(n+1)) + input[n] }
	return Case{
		Name:       "private_large",
		Doc:        "private and function variables of 90 KiB for each invocation",
		Buffers:    []Buffer{content("input", input), content("results", make([]uint32, 10*invocations))},
		Dispatches: once("main", groups(invocations, 8), 1, 1),
		Reference: func(buffers [][]byte) {
			results := make([]uint32, 0, 10*invocations)
			for n := range invocations {
				sum := func(step int, at func(n, at int) uint32) (s uint32) {
					for i := 0; i < length; i += step {
						s = s*31 + at(n, i)
					}
					return s
				}
				local := (n + 1) % 8
				received := own(n/8*8+local, 100*local)
				second := sum(5, func(n, at int) uint32 {
					if at == 5 {
						return received
					}
					return own(n, at)
				})
				var visits, even, odd [200]uint32
				heights, rounds := uint32(0), uint32(0)
				for k := range 300 {
					i := 17*k + n
					visits[i%200]++
					heights += uint32(i)
					if i%2 == 0 {
						even[i%200] = 1
					} else {
						odd[i%200] = 1
					}
					if i%6 == 0 || i%6 == 5 { // in column 0 of row 0, or column 1 of row 2
						rounds++
					}
				}
				on, flags := uint32(0), uint32(0)
				for c := range visits {
					on += visits[c] % 2 * uint32(c)
					flags += even[c] + 1000*odd[c]
				}
				results = append(results,
					sum(1+n%3, own), second-received,
					on, 300+10000*600, heights, flags,
					rounds+uint32(n*(n+1)+1)+uint32((17*299+n)*(n+1)+1),
					(primes[n%12]+powers[n%5])*7+3,
					0, visits[n]+100)
			}
			store(buffers[1], results)
		},
	}
}
