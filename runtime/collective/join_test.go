package collective

import (
	"testing"
)

// joinJob is openJob with ranks that meet as processes do.
func joinJob(t testing.TB, n int, list ...Option) *job {
	t.Helper()
	j := &job{TB: t}
	j.devices(n)
	root, err := NewRoot(n, list...)
	j.check(err)
	t.Cleanup(func() { j.check(root.Close()) })
	ranks := make([]*Communicator, n)
	j.ranks = ranks
	j.all(func(rank int) (err error) {
		ranks[rank], err = Join(t.Context(), j.group.Devices()[rank], root.ID(), rank, list...)
		return err
	})
	j.own(ranks)
	return j
}
