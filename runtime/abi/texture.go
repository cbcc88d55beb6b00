// The textures that a kernel accepts.

package abi

import (
	"fmt"

	"github.com/gpuc/gpuc/ir/texture"
)

// Accepts returns an error if a texture cannot be bound where t is expected. It compares
// dimensions, layers, samples and format, and the type of the values that reads of the format
// return.
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
