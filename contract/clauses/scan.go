package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// citation says that a test proves a clause, or a part of it.
type citation struct {
	id   string
	test string // file:line func
}

// scan finds every citation of a source tree, in the order of files and lines.
func scan(tree fs.FS) ([]citation, error) {
	var found []citation
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && skipped(entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || !holdsTests(name):
			return nil
		}
		source, err := fs.ReadFile(tree, name)
		if err != nil {
			return fmt.Errorf("read a test: %w", err)
		}
		citations, err := scanFile(name, source)
		found = append(found, citations...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("scan tests: %w", err)
	}
	return found, nil
}

func skipped(folder string) bool {
	return folder == "testdata" || folder == "node_modules" || len(folder) > 1 && strings.HasPrefix(folder, ".")
}

// holdsTests knows test files and the files of conformance suites.
func holdsTests(name string) bool {
	return strings.HasSuffix(name, "_test.go") ||
		strings.HasSuffix(name, ".go") && strings.HasSuffix(path.Base(path.Dir(name)), "test")
}

func scanFile(name string, source []byte) ([]citation, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parse a test: %w", err)
	}
	s := &fileScan{set: set, name: name, file: file}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if list, ok := strings.CutPrefix(comment.Text, "// contract:"); ok {
				for id := range strings.SplitSeq(list, ",") {
					s.cite(strings.TrimSpace(id), s.holder(comment.Pos()), comment.Pos())
				}
			}
		}
	}
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			s.names(f)
		}
	}
	slices.SortStableFunc(s.found, func(a, b located) int { return int(a.pos - b.pos) })
	citations := make([]citation, len(s.found))
	for i, l := range s.found {
		citations[i] = l.citation
	}
	return citations, nil
}

type fileScan struct {
	set   *token.FileSet
	name  string
	file  *ast.File
	found []located
}

type located struct {
	citation
	pos token.Pos
}

// cite notes a citation by a function, or by the file at pos when f is nil.
func (s *fileScan) cite(id string, f *ast.FuncDecl, pos token.Pos) {
	test := fmt.Sprintf("%s:%d", s.name, s.set.Position(pos).Line)
	if f != nil {
		pos = f.Name.Pos()
		test = fmt.Sprintf("%s:%d %s", s.name, s.set.Position(pos).Line, f.Name.Name)
	}
	s.found = append(s.found, located{citation{id, test}, pos})
}

// holder is the function that a comment belongs to: the one around it or the
// one that it documents.
func (s *fileScan) holder(pos token.Pos) *ast.FuncDecl {
	for _, decl := range s.file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		start := f.Pos()
		if f.Doc != nil {
			start = f.Doc.Pos()
		}
		if start <= pos && pos < f.End() {
			return f
		}
	}
	return nil
}

// names finds ids in the names of a test and its subtests. An id there is a
// word of its own that has the form of one; it may be something else by chance,
// so what is not in the contract's alphabet is no citation.
func (s *fileScan) names(f *ast.FuncDecl) {
	test, isTest := strings.CutPrefix(f.Name.Name, "Test")
	if !isTest {
		test, isTest = strings.CutPrefix(f.Name.Name, "Fuzz")
	}
	if isTest {
		for word := range strings.SplitSeq(test, "_") {
			s.citeWord(word, f)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) < 2 {
			return true
		}
		if method, ok := call.Fun.(*ast.SelectorExpr); !ok || method.Sel.Name != "Run" {
			return true
		}
		if name, ok := call.Args[0].(*ast.BasicLit); ok && name.Kind == token.STRING {
			text, _ := strconv.Unquote(name.Value)
			for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" _/(),:", r) }) {
				s.citeWord(word, f)
			}
		}
		return true
	})
}

func (s *fileScan) citeWord(word string, f *ast.FuncDecl) {
	if regexp.MustCompile(`^[LRXTFMAVCEBSPU][1-9][0-9]?$`).MatchString(word) {
		s.cite(word, f, f.Pos())
	}
}
