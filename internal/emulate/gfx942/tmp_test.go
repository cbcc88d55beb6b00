package gfx942
import ("testing";"strings";"fmt";"os";"strconv"
"github.com/gpuc/gpuc/codegen/amdgpu"
	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/difftest/campaign"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/emulate/fibers"
	"github.com/gpuc/gpuc/runtime/abi"
)
func TestTmpGen(t *testing.T) {
	_ = bench.Program{}
	n := map[string]int{}
	way, err := campaign.Executed(targetOf(t, &amdgpu.Direct), func(list []*abi.Artefact, jobs []*fibers.Job) error {
		var objs []*Object
		for _, a := range list {
			o, err := Load(assembleText(t, a.Code))
			if err != nil { return err }
			objs = append(objs, o)
		}
		for _, j := range jobs {
			for _, l := range j.Launches {
				k := &list[l.Program].Kernel
				launch := &Launch{Kernel: k.Name, Grid: l.Grid, Workgroup: l.Workgroup, Buffers: j.Data, Unit: 2}
				for n, p := range k.Parameters {
					data := j.Data[l.Arguments[n]]
					switch p.Kind {
					case abi.AddressParameter:
						launch.Arguments = append(launch.Arguments, Argument{Buffer: l.Arguments[n]})
					case abi.LengthParameter:
						launch.Arguments = append(launch.Arguments, Argument{Bytes: data, Align: 4})
					case abi.ImmediatesParameter:
						launch.Arguments = append(launch.Arguments, Argument{Bytes: data, Align: 16})
					}
				}
				j.Err = objs[l.Program].Run(launch)
			}
		}
		return nil
	})
	if err != nil { t.Fatal(err) }
	count,_ := strconv.ParseUint(os.Getenv("COUNT"),10,64)
	fams := []string{"","arms","calls","chains","folds","spins","limits"}; _ = difftest.Families; first, _ := strconv.ParseUint(os.Getenv("FIRST"),10,64)
	
	for _, f := range fams {
	r, err := way.RunSeeds(f, max(first,1), count, 2)
	if err != nil { t.Error(err); continue }
	for _, f := range r.Failures {
		m, _, _ := strings.Cut(f.Message, "\n")
		n[m]++
		t.Errorf("seed %d %s: %.300s", f.Seed, f.Configuration, m)
	}
	fmt.Println(f, r.Programs, r.Executions, len(r.Failures))
	}
}
