package aiagent_test

// The rules of the house, as tests. docs/architecture.md explains them; the
// table below is what holds.

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/ai-agent-go/ai-agent"

// room is a package and what its code, tests apart, may import.
type room struct {
	path   string   // below the module; "." is the library itself, "x/*" any package in x
	ours   []string // rooms of the house
	theirs []string // modules of others
	pure   bool     // std is limited to the pure packages below
	std    []string // further std packages that a pure room may import
}

var (
	above    = []string{"(all rooms above)"}
	anything = []string{"(anything)"}
)

// house lists the rooms from the ground up: arrows point to rows above.
var house = []room{
	{path: "llm", pure: true, std: []string{"context", "time"}},
	{path: "llm/script", ours: []string{"llm"}, theirs: []string{"github.com/goccy/go-yaml"}},
	{path: "llm/internal/wire", ours: []string{"llm"}},
	{path: "llm/llmtest", ours: []string{"llm"}, theirs: []string{"github.com/google/go-cmp", "github.com/rogpeppe/go-internal"}},
	{path: "llm/anthropic", ours: []string{"llm", "llm/internal/wire"}},
	{path: "llm/google", ours: []string{"llm", "llm/internal/wire"}},
	{path: "llm/ollama", ours: []string{"llm", "llm/internal/wire"}},
	{path: "llm/openai", ours: []string{"llm", "llm/internal/wire"}},
	{path: "spec", pure: true, ours: []string{"llm"}},
	{path: "llm/catalog", ours: []string{"llm", "spec"}},
	{path: "llm/catalog/refresh", ours: []string{"llm", "llm/catalog"}},
	{path: "provider", ours: []string{"llm", "llm/anthropic", "llm/catalog", "llm/google", "llm/ollama", "llm/openai", "spec"}},
	{path: "journal", pure: true, std: []string{"reflect", "unsafe"}}, // see journal/types.go
	{path: "dialect", pure: true, ours: []string{"llm", "spec"}, theirs: []string{
		"github.com/santhosh-tekuri/jsonschema/v6", "github.com/kaptinlin/jsonrepair", "golang.org/x/text",
	}},
	{path: "kernel", pure: true, ours: []string{"llm", "spec", "journal", "dialect"}},
	{path: "replay", pure: true, ours: []string{"journal", "dialect", "kernel"}},
	{path: "transcript", pure: true, ours: []string{"llm", "spec", "journal", "dialect", "kernel"}},
	{path: "view", ours: []string{"kernel", "journal", "llm", "spec", "dialect", "transcript"}},
	{path: "tool", ours: []string{"llm", "spec"}, theirs: []string{"github.com/google/jsonschema-go"}},
	{path: "store", ours: []string{"journal"}},
	{path: "store/memory", ours: []string{"store", "journal"}},
	{path: "store/sqlite", ours: []string{"store", "journal"}, theirs: []string{"modernc.org/sqlite"}},
	{path: "store/storetest", ours: []string{"store", "journal"}},
	{path: "host", ours: above, theirs: []string{"github.com/google/uuid"}},
	{path: "contract", ours: above},
	{path: "contract/clauses"},
	{path: "sim", ours: above},
	{path: "sim/crash"},
	{path: "sim/mutants"},
	{path: "interop"},
	{path: ".", ours: above},
	{path: "cmd/*", ours: anything, theirs: anything},
	{path: "examples/*", ours: anything, theirs: anything},
	{path: "bench", ours: anything, theirs: anything},
	{path: "bench/*", ours: anything, theirs: anything},
}

// pureStd is what any pure room may import of the standard library: packages
// that compute. There is no clock, randomness, network, file system, process,
// goroutine or lock among them. io and bufio are there for their interfaces.
var pureStd = []string{
	"bufio", "bytes", "cmp", "crypto/sha256", "encoding", "encoding/base64", "encoding/binary", "encoding/hex",
	"encoding/json", "errors", "fmt", "hash", "io", "iter", "maps", "math", "math/bits", "regexp", "slices", "strconv",
	"strings", "unicode", "unicode/utf16", "unicode/utf8",
}

// pureTime is what a pure room may use of package time: time as data.
var pureTime = []string{
	"ANSIC", "Duration", "Hour", "Microsecond", "Millisecond", "Minute", "Month", "Parse", "RFC1123", "RFC1123Z", "RFC3339",
	"RFC3339Nano", "RFC850", "Second", "Time", "UTC", "Unix", "UnixMilli",
}

// providers are names that nothing but adapters (llm/<name>), the dialect and
// the room that makes adapters of configuration may know. Comments may use them to explain.
var providers = regexp.MustCompile(`(?i)openai|anthropic|gemini|google|ollama|openrouter|mistral`)

// providersAllowed are the exceptions, file by file.
var providersAllowed = map[string]string{}

func TestEveryRoomIsKnownAndImportsOnlyWhatItMay(t *testing.T) {
	t.Parallel()
	for _, p := range sources(t) {
		r, row := roomOf(p.path)
		if row < 0 {
			t.Errorf("%s: a room that the house does not know; give it a row in house_test.go and docs/architecture.md", p.path)
			continue
		}
		for _, f := range p.files {
			for _, spec := range f.syntax.Imports {
				name, _ := strconv.Unquote(spec.Path.Value)
				if why := refuse(r, row, name); why != "" {
					t.Errorf("%s: room %s may not import %s: %s", f.at(spec), r.path, name, why)
				}
			}
		}
	}
}

// refuse says why a room may not import a package, or nothing.
func refuse(r *room, row int, name string) string {
	first, _, _ := strings.Cut(name, "/")
	switch ours, inside := strings.CutPrefix(name, module); {
	case inside:
		ours = path.Clean(strings.TrimPrefix(ours, "/"))
		if _, at := roomOf(ours); len(r.ours) > 0 && r.ours[0] == above[0] && at >= 0 && at < row {
			return ""
		}
		if slices.Contains(r.ours, ours) || len(r.ours) > 0 && r.ours[0] == anything[0] {
			return ""
		}
		return "arrows point down, see the table in house_test.go"
	case strings.Contains(first, "."):
		for _, m := range r.theirs {
			if m == anything[0] || name == m || strings.HasPrefix(name, m+"/") {
				return ""
			}
		}
		return "a dependency is taken for one room, see the table in house_test.go"
	case r.pure && !slices.Contains(pureStd, name) && !slices.Contains(r.std, name):
		return "the room is pure"
	}
	return ""
}

// A pure room computes: it starts nothing, waits for nothing and prints nothing,
// and its results do not depend on the order of a map.
func TestPureRoomsArePure(t *testing.T) {
	t.Parallel()
	for _, p := range pureSources(t) {
		for _, f := range p.files {
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				if what := impure(n, p.info); what != "" {
					t.Errorf("%s: %s in a pure room", f.at(n), what)
				}
				return true
			})
		}
	}
}

func impure(n ast.Node, info *types.Info) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "a goroutine"
	case *ast.ChanType, *ast.SendStmt, *ast.SelectStmt:
		return "a channel"
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			return "a channel"
		}
	case *ast.SelectorExpr:
		pkg, name := selected(n)
		if pkg == "time" && !slices.Contains(pureTime, name) && info.Selections[n] == nil {
			return "time." + name
		}
	case *ast.RangeStmt:
		if isMap(n.X, info) {
			return "a loop over a map, whose order is chance (sort the keys first: slices.Sorted(maps.Keys(m)))"
		}
	}
	return ""
}

// isMap knows a map, and an iterator over one.
func isMap(e ast.Expr, info *types.Info) bool {
	if call, ok := e.(*ast.CallExpr); ok {
		if f, ok := call.Fun.(*ast.SelectorExpr); ok {
			pkg, name := selected(f)
			return pkg == "maps" && (name == "All" || name == "Keys" || name == "Values")
		}
	}
	t := info.TypeOf(e)
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// State belongs to a runtime or a session. A pure room's package-level
// variables are values that nobody changes.
func TestPureRoomsHoldNoState(t *testing.T) {
	t.Parallel()
	for _, p := range pureSources(t) {
		fixed := make(map[types.Object]bool)
		for _, f := range p.files {
			for _, v := range variables(f.syntax) {
				for i, name := range v.Names {
					if object := p.info.Defs[name]; object != nil {
						fixed[object] = true
					}
					if name.Name != "_" && (i >= len(v.Values) || !isValue(v.Values[i])) {
						t.Errorf("%s: package-level variable %s; want a constant, an error or a composite literal", f.at(name), name.Name)
					}
				}
			}
		}
		for _, f := range p.files {
			for _, name := range assigned(f.syntax) {
				if fixed[p.info.Uses[name]] {
					t.Errorf("%s: %s belongs to the package and must not change", f.at(name), name.Name)
				}
			}
		}
	}
}

// variables lists a file's package-level variables.
func variables(file *ast.File) []*ast.ValueSpec {
	var specs []*ast.ValueSpec
	for _, decl := range file.Decls {
		if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, s := range g.Specs {
				if v, ok := s.(*ast.ValueSpec); ok {
					specs = append(specs, v)
				}
			}
		}
	}
	return specs
}

// isValue knows the expressions that make a variable a constant in all but name.
func isValue(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CompositeLit, *ast.BasicLit:
		return true
	case *ast.UnaryExpr:
		return e.Op == token.AND && isValue(e.X)
	case *ast.CallExpr:
		f, ok := e.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		switch pkg, name := selected(f); pkg + "." + name {
		case "errors.New", "fmt.Errorf", "regexp.MustCompile", "strings.NewReplacer", "journal.NewTypes":
			return true
		}
	}
	return false
}

// assigned lists the names that a file assigns to, whole or in part.
func assigned(file *ast.File) []*ast.Ident {
	var names []*ast.Ident
	note := func(e ast.Expr) {
		for {
			switch x := e.(type) {
			case *ast.Ident:
				names = append(names, x)
				return
			case *ast.IndexExpr:
				e = x.X
			case *ast.SelectorExpr:
				e = x.X
			case *ast.StarExpr:
				e = x.X
			case *ast.ParenExpr:
				e = x.X
			default:
				return
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				note(e)
			}
		case *ast.IncDecStmt:
			note(n.X)
		}
		return true
	})
	return names
}

// programs are commands among the library's rooms, for those who work on it.
var programs = []string{"contract/clauses", "llm/catalog/refresh", "sim/mutants"}

// The library prints nothing and writes no files; only stores do, where they
// were told to.
//
// contract: B1
func TestTheLibraryIsSilent(t *testing.T) {
	t.Parallel()
	prints := regexp.MustCompile(`^(fmt\.Print(f|ln)?|os\.(Stdout|Stderr|Stdin)|log\..*|slog\.(Default|Info|Warn|Error|Debug|Log).*)$`)
	writes := regexp.MustCompile(`^os\.(Create(Temp)?|OpenFile|WriteFile|Mkdir(All|Temp)?|Remove(All)?|Rename|Link)$`)
	for _, p := range sources(t) {
		if top, _, _ := strings.Cut(p.path, "/"); top == "cmd" || top == "examples" || top == "bench" || slices.Contains(programs, p.path) {
			continue
		}
		for _, f := range p.files {
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					pkg, name := selected(n)
					name = pkg + "." + name
					if prints.MatchString(name) || writes.MatchString(name) && !strings.HasPrefix(p.path, "store/") {
						t.Errorf("%s: %s in the library", f.at(n), name)
					}
				case *ast.CallExpr:
					if f0, ok := n.Fun.(*ast.Ident); ok && (f0.Name == "print" || f0.Name == "println") {
						t.Errorf("%s: %s in the library", f.at(n), f0.Name)
					}
				}
				return true
			})
		}
	}
}

// contract: P8
func TestOnlyAdaptersTheirMakerAndTheDialectKnowProvidersByName(t *testing.T) {
	t.Parallel()
	for _, p := range sources(t) {
		if p.path == "dialect" || p.path == "provider" || strings.HasPrefix(p.path, "llm/") {
			continue
		}
		for _, f := range p.files {
			if providersAllowed[f.name] != "" {
				continue
			}
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				text := ""
				switch n := n.(type) {
				case *ast.ImportSpec:
					return false
				case *ast.Ident:
					text = n.Name
				case *ast.BasicLit:
					text = n.Value
				}
				if name := providers.FindString(text); name != "" {
					t.Errorf("%s: %q names a provider", f.at(n), text)
				}
				return true
			})
		}
	}
}

func TestNoFileNamesAPlaceOnSomebodysMachine(t *testing.T) {
	t.Parallel()
	place := regexp.MustCompile("(^|[\\s\"'`(=:])" + "/wo" + "rk/")
	for name, text := range documents(t, "") {
		for i, line := range strings.Split(text, "\n") {
			if place.MatchString(line) {
				t.Errorf("%s:%d: %s", name, i+1, line)
			}
		}
	}
}

func TestLinksBetweenDocumentsLeadSomewhere(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#\s]+)(#[^)\s]*)?\)`)
	for name, text := range documents(t, ".md") {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], ":") {
				continue // another site
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s: link to %s: %v", name, m[1], err)
			}
		}
	}
}

// documents returns the project's text files by name, those that git does not
// ignore.
func documents(t *testing.T, suffix string) map[string]string {
	t.Helper()
	list, err := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Skipf("not a git checkout: %v", err)
	}
	texts := make(map[string]string)
	for name := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) || !strings.HasSuffix(name, suffix) || strings.Contains(string(data), "\x00") {
			continue // deleted, not asked for, not text
		}
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(data)
	}
	return texts
}

// pack is a package of the module, without its tests.
type pack struct {
	path  string
	files []*file
	all   map[string]*pack
	typed *types.Package
	info  *types.Info
}

type file struct {
	name   string
	set    *token.FileSet
	syntax *ast.File
}

func (f *file) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", f.name, f.set.Position(n.Pos()).Line)
}

// selected splits pkg.Name; pkg is empty when it is something else.
func selected(e *ast.SelectorExpr) (pkg, name string) {
	if x, ok := e.X.(*ast.Ident); ok {
		return x.Name, e.Sel.Name
	}
	return "", e.Sel.Name
}

func roomOf(p string) (*room, int) {
	for i := range house {
		r := &house[i]
		if ok, _ := path.Match(r.path, p); ok {
			return r, i
		}
	}
	return nil, -1
}

func pureSources(t *testing.T) []*pack {
	t.Helper()
	return slices.DeleteFunc(slices.Clone(sources(t)), func(p *pack) bool {
		r, _ := roomOf(p.path)
		return r == nil || !r.pure
	})
}

func sources(t *testing.T) []*pack {
	t.Helper()
	packs, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	return packs
}

// parsed reads every Go file of the module once, whatever its build tags.
// Folders with a go.mod of their own are other modules.
var parsed = sync.OnceValues(func() ([]*pack, error) {
	var packs []*pack
	all := make(map[string]*pack)
	set := token.NewFileSet()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			_, other := os.Stat(filepath.Join(name, "go.mod"))
			if base := entry.Name(); name != "." && (base == "testdata" || strings.HasPrefix(base, ".") || other == nil) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		syntax, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(name))
		p := all[folder]
		if p == nil {
			p = &pack{path: folder, all: all}
			all[folder] = p
			packs = append(packs, p)
		}
		p.files = append(p.files, &file{name: filepath.ToSlash(name), set: set, syntax: syntax})
		return nil
	})
	for _, p := range packs {
		p.load()
	}
	return packs, err
})

// load resolves names and types as far as the house's own packages define them;
// what comes from elsewhere stays unknown, which is enough for the rules here
// and needs no compiled packages.
func (p *pack) load() *types.Package {
	if p.typed != nil {
		return p.typed
	}
	p.info = &types.Info{
		Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object),
		Types: make(map[ast.Expr]types.TypeAndValue), Selections: make(map[*ast.SelectorExpr]*types.Selection),
	}
	var syntax []*ast.File
	for _, f := range p.files {
		syntax = append(syntax, f.syntax)
	}
	c := types.Config{Importer: p, Error: func(error) {}, FakeImportC: true}
	p.typed, _ = c.Check(p.path, p.files[0].set, syntax, p.info)
	return p.typed
}

// Import implements [types.Importer].
func (p *pack) Import(name string) (*types.Package, error) {
	ours, inside := strings.CutPrefix(name, module+"/")
	if q := p.all[ours]; inside && q != nil {
		return q.load(), nil
	}
	return nil, fmt.Errorf("%s is not of this house", name)
}
