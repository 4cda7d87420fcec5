package aiagent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// ExportOptions are the options of an export. The zero value works.
type ExportOptions struct {
	// Alone leaves out the sessions that have worked for this one.
	Alone bool
	// Secrets are values that must not leave the house. A content that holds one
	// is left out, and the frame that names it stays: the chain is as good as
	// before, and verify tells what is missing. Secrets do not get into journals
	// in the first place; this is for what a tool has said.
	Secrets []string
}

// Export writes the session as one file that any machine can replay and verify.
func (s *Session) Export(ctx context.Context, w io.Writer) error {
	return ExportSession(ctx, s.rt.store, s.key, w)
}

// ExportSession writes a session of a store as one self-contained file: its
// frames, every content that they brought, and the same of the sessions that
// have worked for it.
func ExportSession(ctx context.Context, st store.Store, key journal.Key, w io.Writer) error {
	_, err := ExportSessionWith(ctx, st, key, w, nil)
	return err
}

// ExportSessionWith is [ExportSession] with options. It returns the contents
// that are not in the file: those that were left out, and those that the store
// does not have any more.
func ExportSessionWith(
	ctx context.Context, st store.Store, key journal.Key, w io.Writer, options *ExportOptions,
) ([]journal.Ref, error) {
	x := exporter{ctx: ctx, store: st, archive: journal.NewArchiveWriter(w, key), seen: make(map[journal.Ref]bool)}
	if options != nil {
		x.alone = options.Alone
		for _, secret := range options.Secrets {
			if secret != "" {
				x.secrets = append(x.secrets, []byte(secret))
			}
		}
	}
	if err := x.tree(key, 0); err != nil {
		return nil, err
	}
	return x.withheld, x.archive.Close() //nolint:wrapcheck // it says what failed
}

// exporter is an export at work.
type exporter struct {
	ctx      context.Context //nolint:containedctx // of the one call that it serves
	store    store.Store
	archive  *journal.ArchiveWriter
	alone    bool
	secrets  [][]byte
	seen     map[journal.Ref]bool
	withheld []journal.Ref
}

// tree writes a session and those that have worked for it. Chains of agents are
// bounded by the host; a store that says otherwise is damaged.
func (x *exporter) tree(key journal.Key, depth int) error {
	if depth > maxVoices {
		return fmt.Errorf("export session %s: %w: sessions call each other in a circle", key, journal.ErrCorrupt)
	}
	if depth > 0 {
		x.archive.Session(key)
	}
	if err := x.session(key); err != nil {
		return fmt.Errorf("export session %s: %w", key, err)
	}
	if x.alone {
		return nil
	}
	for query := (store.Query{Parent: key.Session}); ; {
		page, err := x.store.List(x.ctx, key.Tenant, query)
		if err != nil {
			return fmt.Errorf("export session %s: %w", key, err)
		}
		for i := range page.Sessions {
			if page.Sessions[i].Seq == 0 {
				continue // asked for and not opened yet
			}
			if err := x.tree(page.Sessions[i].Key, depth+1); err != nil {
				return err
			}
		}
		if query.Cursor = page.Cursor; query.Cursor == "" {
			return nil
		}
	}
}

func (x *exporter) session(key journal.Key) error {
	for f, err := range x.store.Read(x.ctx, key, 1) {
		if err != nil {
			return err
		}
		frame, err := journal.DecodeFrame(f.Data)
		if err != nil {
			return err //nolint:wrapcheck // the caller names the session
		}
		x.archive.Frame(&frame)
		for _, ref := range frame.Blobs {
			if x.seen[ref] {
				continue
			}
			x.seen[ref] = true
			data, err := x.store.Blob(x.ctx, key, ref)
			switch {
			case errors.Is(err, store.ErrNotFound) || err == nil && x.secret(data):
				x.withheld = append(x.withheld, ref)
			case err != nil:
				return fmt.Errorf("content %s: %w", ref.Short(), err)
			default:
				x.archive.Blob(data)
			}
		}
	}
	return nil
}

func (x *exporter) secret(data []byte) bool {
	for _, s := range x.secrets {
		if bytes.Contains(data, s) {
			return true
		}
	}
	return false
}
