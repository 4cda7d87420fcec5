package aiagent

import (
	"context"
	"fmt"
	"io"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// Export writes the session as one file that any machine can replay and verify.
func (s *Session) Export(ctx context.Context, w io.Writer) error {
	return ExportSession(ctx, s.rt.store, s.key, w)
}

// ExportSession writes a session of a store as one self-contained file: its
// frames and every content that they brought.
func ExportSession(ctx context.Context, st store.Store, key journal.Key, w io.Writer) error {
	archive := journal.NewArchiveWriter(w, key)
	seen := make(map[journal.Ref]bool)
	for f, err := range st.Read(ctx, key, 1) {
		if err != nil {
			return fmt.Errorf("export session %s: %w", key, err)
		}
		frame, err := journal.DecodeFrame(f.Data)
		if err != nil {
			return fmt.Errorf("export session %s: %w", key, err)
		}
		archive.Frame(&frame)
		for _, ref := range frame.Blobs {
			if seen[ref] {
				continue
			}
			seen[ref] = true
			data, err := st.Blob(ctx, key, ref)
			if err != nil {
				return fmt.Errorf("export session %s: content %s: %w", key, ref.Short(), err)
			}
			archive.Blob(data)
		}
	}
	return archive.Close() //nolint:wrapcheck // it says what failed
}
