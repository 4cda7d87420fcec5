package host

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/kernel"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// projection keeps the history that requests are made of. It follows the
// transcript's head and reads only what is new since the last request.
type projection struct {
	host *Host
	key  journal.Key

	head      journal.Ref
	projector dialect.Projector
	// last is the assistant message whose calls were last executed.
	last    *llm.Envelope
	lastRef journal.Ref
	// fresh holds contents that were appended since the last request, so that
	// they need not be read back.
	fresh map[journal.Ref][]byte
}

func (p *projection) remember(blobs []journal.Blob) {
	if p.fresh == nil {
		p.fresh = make(map[journal.Ref][]byte, len(blobs))
	}
	for _, b := range blobs {
		p.fresh[b.Ref] = b.Data
	}
}

func (p *projection) blob(ref journal.Ref) ([]byte, error) {
	if data, ok := p.fresh[ref]; ok {
		return data, nil
	}
	data, err := p.host.store.Blob(p.host.ctx, p.key, ref)
	if err != nil {
		return nil, fmt.Errorf("read content %s: %w", ref.Short(), err)
	}
	return data, nil
}

// to brings the history up to the given head of the transcript.
func (p *projection) to(head journal.Ref) error {
	var entries []kernel.Entry
	at := head
	for at != p.head {
		if at.IsZero() {
			// The history that we have is not part of this transcript.
			p.projector, p.head = dialect.Projector{}, journal.Ref{}
			break
		}
		data, err := p.blob(at)
		if err != nil {
			return err
		}
		var chunk kernel.Chunk
		if err := journal.Decode(data, &chunk); err != nil {
			return fmt.Errorf("transcript %s: %w", at.Short(), err)
		}
		slices.Reverse(chunk.Entries)
		entries = append(entries, chunk.Entries...)
		at = chunk.Prev
	}
	slices.Reverse(entries)
	for i := range entries {
		item, err := loadItem(&entries[i], p.blob)
		if err != nil {
			return err
		}
		p.projector.Append(item)
	}
	p.head = head
	p.fresh = nil
	return nil
}

// loadItem reads the content of a transcript's entry.
func loadItem(e *kernel.Entry, blob func(journal.Ref) ([]byte, error)) (dialect.Item, error) {
	item := dialect.Item{Kind: e.Kind}
	if e.Kind == dialect.ItemTerminal {
		return item, nil
	}
	data, err := blob(e.Ref)
	if err != nil {
		return item, err
	}
	switch e.Kind {
	case dialect.ItemUser:
		item.User = new(llm.Message)
		err = json.Unmarshal(data, item.User)
	case dialect.ItemAssistant:
		item.Assistant = new(llm.Envelope)
		err = json.Unmarshal(data, item.Assistant)
	case dialect.ItemResult:
		item.Result = &llm.ToolResult{CallID: e.CallID, Name: e.Name, Content: string(data), Failed: e.Failed}
	case dialect.ItemTerminal:
	}
	if err != nil {
		return item, fmt.Errorf("%s message %s: %w", e.Kind, e.Ref.Short(), err)
	}
	return item, nil
}

// runConfig is a run's configuration made ready.
type runConfig struct {
	run   *spec.Run
	tools *dialect.Toolset
}

// configCache keeps configurations that runs use. They are named by their
// content, so they never change.
type configCache struct {
	mu    sync.Mutex
	byRef map[journal.Ref]*runConfig
}

// maxConfigs bounds the cache; beyond it everything is forgotten, which costs
// no more than preparing again what is still in use.
const maxConfigs = 1024

func newConfigCache() *configCache { return &configCache{byRef: make(map[journal.Ref]*runConfig)} }

func (c *configCache) put(ref journal.Ref, rc *runConfig) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.byRef) >= maxConfigs {
		clear(c.byRef)
	}
	c.byRef[ref] = rc
}

func (c *configCache) get(ref journal.Ref) *runConfig {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byRef[ref]
}

// config returns a run's configuration by its reference.
func (p *projection) config(ref journal.Ref) (*runConfig, error) {
	if rc := p.host.configs.get(ref); rc != nil {
		return rc, nil
	}
	data, err := p.blob(ref)
	if err != nil {
		return nil, err
	}
	rc, err := prepare(data)
	if err != nil {
		return nil, err
	}
	p.host.configs.put(ref, rc)
	return rc, nil
}

func prepare(data []byte) (*runConfig, error) {
	run := new(spec.Run)
	if err := json.Unmarshal(data, run); err != nil {
		return nil, fmt.Errorf("run configuration: %w", err)
	}
	tools, err := dialect.NewToolset(run)
	if err != nil {
		return nil, fmt.Errorf("run configuration: %w", err)
	}
	return &runConfig{run: run, tools: tools}, nil
}
