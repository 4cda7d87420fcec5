package host

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
	"github.com/ai-agent-go/ai-agent/transcript"
)

// projection keeps the history that requests are made of, and the contents that
// came in since the last request.
type projection struct {
	host *Host
	key  journal.Key

	history transcript.History
	// last is the newest assistant message.
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

// know takes over an assistant message as it was made.
func (p *projection) know(ref journal.Ref, e *llm.Envelope) {
	p.last, p.lastRef = e, ref
	p.history.Know(ref, e)
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
