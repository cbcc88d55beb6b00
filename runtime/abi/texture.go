// What a kernel's textures must be like.

package abi

import (
	"fmt"

	"github.com/gpuc/gpuc/ir/texture"
)

// Accepts returns what keeps a texture from being bound where t is expected, or
// nil: its dimensions, layers, samples and format, and the kind of number that
// reads of the format yield.
func (t *Texture) Accepts(d *texture.Description) error {
	if t == nil || d == nil {
		return errNone("texture or its description")
	}
	if err := d.Fits(t.Shape, t.Format); err != nil {
		return err
	}
	if channel := d.Format.Info().Channel; channel.String() != t.Channel {
		return fmt.Errorf("the texture's format is %s, which yields %s, and the kernel reads %s", d.Format, channel, t.Channel)
	}
	return nil
}

// Written reports whether the kernel may write the texture.
func (t *Texture) Written() bool { return t != nil && (t.Access == Write || t.Access == ReadWrite) }
