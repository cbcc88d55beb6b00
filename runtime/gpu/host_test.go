package gpu

import (
	"errors"
	"math/rand/v2"
	"testing"
)

// TestHostPoolOrder makes and closes host buffers while copies use them, on a device that is late
// and whose calls fail now and then. No copy finds memory that was freed or that another copy
// writes.
func TestHostPoolOrder(t *testing.T) {
	for seed := range uint64(12) {
		d, late := openLate(t, seed+1)
		if seed%3 == 2 {
			late.failures = 20
		}
		random := rand.New(rand.NewPCG(seed, 1))
		streams := []*Stream{must(d.NewStream()), must(d.NewStream())}
		const n = 64
		type reading struct {
			transfer *Transfer
			host     []uint32
			want     uint32
		}
		var readings []reading
		var open []*HostBuffer[uint32]
		settle := func() {
			for _, r := range readings {
				if err := r.transfer.Wait(background); err != nil {
					t.Fatal(err)
				}
				for i, v := range r.host {
					if v != r.want {
						t.Fatalf("seed %d: element %d is %d, want %d", seed, i, v, r.want)
					}
				}
			}
			readings = readings[:0]
		}
		expected := func(err error) bool {
			if err != nil && !errors.Is(err, ErrOutOfMemory) {
				t.Fatal(err)
			}
			return err == nil
		}
		for step := range 200 {
			s := streams[random.IntN(2)]
			b, err := Alloc[uint32](s, n)
			if !expected(err) {
				continue
			}
			source, err := AllocHost[uint32](d, n*(1+random.IntN(2)))
			if expected(err) {
				data, want := source.Data()[source.Len()-n:], uint32(step+1)
				for i := range data {
					data[i] = want
				}
				_, err := b.WriteAsync(s, data)
				if expected(err) {
					r := reading{host: make([]uint32, n), want: want}
					var target *HostBuffer[uint32]
					if random.IntN(2) == 0 {
						if target, err = AllocHost[uint32](d, n); expected(err) {
							r.host = target.Data()
						}
					}
					r.transfer, err = b.ReadAsync(s, r.host)
					switch {
					case !expected(err):
						if target != nil {
							check(t, target.Close())
						}
					case target != nil && random.IntN(2) == 0: // nobody looks
						check(t, target.Close())
					default:
						readings = append(readings, r)
						if target != nil {
							open = append(open, target)
						}
					}
				}
				check(t, source.Close()) // while the copy may be under way
			}
			check(t, b.Close())
			if random.IntN(10) == 0 {
				settle()
			}
		}
		late.failures = 0
		settle()
		for _, h := range open {
			check(t, h.Close())
		}
		for _, s := range streams {
			check(t, s.Wait(background))
		}
		check(t, d.Trim())
		if late.hosts != 0 || d.Memory().Host != 0 {
			t.Errorf("seed %d: %d pieces of host memory are left, %d bytes", seed, late.hosts, d.Memory().Host)
		}
	}
}

// TestHostPoolLimits keeps no more host memory than was needed at once and 64 MiB, and gives back
// all of it in Trim and on errors.
func TestHostPoolLimits(t *testing.T) {
	d, late := openLate(t, 0)
	s := must(d.NewStream())
	b := must(Alloc[uint32](d, 1<<18))
	host := make([]uint32, 1<<18)
	for range 100 { // nobody waits
		h := must(AllocHost[uint32](d, 1<<18))
		_, err := b.ReadAsync(s, h.Data())
		check(t, err)
		check(t, h.Close())
	}
	if m := d.Memory(); m.Host > 100<<20 {
		t.Errorf("%d bytes of the host are reserved", m.Host)
	}
	check(t, d.Trim()) // which waits
	if m := d.Memory(); m.Host != 0 {
		t.Errorf("%d bytes of the host are reserved after Trim", m.Host)
	}
	var open []*HostBuffer[byte]
	for n := range 40 {
		open = append(open, must(AllocHost[byte](d, 1<<20+n<<17)))
	}
	for _, h := range open {
		check(t, h.Close())
	}
	if m := d.Memory(); m.Host > d.hosts.peak+spareHost {
		t.Errorf("%d bytes of the host are kept, and %d were needed at once", m.Host, d.hosts.peak)
	}
	late.rng, late.failures = rand.New(rand.NewPCG(1, 1)), 1
	if _, err := b.ReadAsync(s, host); !errors.Is(err, ErrOutOfMemory) {
		t.Errorf("got %v, want ErrOutOfMemory", err)
	}
	if _, err := AllocHost[byte](d, 5); !errors.Is(err, ErrOutOfMemory) {
		t.Errorf("got %v, want ErrOutOfMemory", err)
	}
	late.failures = 0
}
