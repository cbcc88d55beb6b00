package structure_test

import (
	"fmt"
	"strings"

	"github.com/gpuc/gpuc/frontend/structure"
)

func ExampleStructurer() {
	var g structure.Graph
	g.Add(0, 1)
	g.Add(0, 2, 5)
	g.Add(0, 3, 4)
	g.Add(0, 4)
	g.Add(0, 1)
	g.Add(0)
	var s structure.Structurer
	nodes, err := s.Structure(&g)
	if err != nil {
		fmt.Println(err)
		return
	}
	depth := 0
	for _, n := range nodes {
		switch n.Kind {
		case structure.Arm, structure.Continuing, structure.End:
			depth--
		}
		fmt.Print(strings.Repeat("  ", depth), n.Kind)
		switch n.Kind {
		case structure.End:
		case structure.Arm:
			fmt.Print(" ", n.Succ)
		case structure.Exit, structure.Continue, structure.Next:
			fmt.Print(" ", nodes[n.Label].Kind)
		default:
			fmt.Print(" ", n.Block)
		}
		fmt.Println()
		switch n.Kind {
		case structure.If, structure.Arm, structure.Loop, structure.Continuing:
			depth++
		}
	}
	// Output:
	// Code 0
	// Loop 1
	//   Code 1
	//   If 1
	//     Exit If
	//   Arm 1
	//     Exit Loop
	//   End
	//   Code 2
	//   If 2
	//     Code 3
	//     Exit If
	//   Arm 1
	//     Exit If
	//   End
	//   Continue Loop
	// Continuing 4
	//   Code 4
	//   Next Loop
	// End
	// Code 5
	// Return 5
}
