package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/scanner"
	"github.com/goccy/go-yaml/token"
)

// Bounds of a script file. maxDepth is what package llm allows JSON. YAML has
// bounds of its own, because its parser needs hundreds of times the memory of
// the text, and time that grows with the square of what it lists; what aliases
// stand for is counted in maxValues.
const (
	maxFile   = 16 << 20
	maxYAML   = 2 << 20
	maxDepth  = 512
	maxTokens = 50_000
	maxValues = 1 << 18
)

// Load reads a script from a file: YAML when it is named .yaml or .yml, JSON
// when it is named .json. Errors name the file, the place in it and what was
// wanted there.
func Load(path string) (*Script, error) {
	f, err := os.Open(path) //nolint:gosec // the caller's file is what is wanted
	if err != nil {
		return nil, fmt.Errorf("open script: %w", err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read script %s: %w", path, err)
	}
	return Parse(path, data)
}

// Parse reads a script from data, which name says where it came from: its
// extension chooses the format as in [Load].
func Parse(name string, data []byte) (*Script, error) {
	s, err := parse(name, data)
	if err != nil {
		return nil, fmt.Errorf("script %s: %w", name, err)
	}
	if s.Name == "" {
		s.Name = filepath.Base(name)
	}
	return s, nil
}

func parse(name string, data []byte) (*Script, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("more than %d bytes", maxFile)
	}
	if !utf8.Valid(data) {
		return nil, errors.New("the text is not UTF-8")
	}
	var value any
	var err error
	switch ext := strings.ToLower(filepath.Ext(name)); ext {
	case ".json":
		value, err = readJSON(data)
	case ".yaml", ".yml":
		value, err = readYAML(data)
	default:
		return nil, fmt.Errorf("the extension is %q, want .yaml, .yml or .json", ext)
	}
	if err != nil {
		return nil, err
	}
	return decodeScript(value)
}

// readJSON reads one value. Unlike encoding/json by itself it refuses an object
// with the same key twice, of which one would be lost.
func readJSON(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	value, err := readJSONValue(dec, "", 0)
	if err == nil {
		if _, err = dec.Token(); errors.Is(err, io.EOF) {
			return value, nil
		}
		err = errors.New("text after the value")
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	line := 1 + bytes.Count(data[:min(dec.InputOffset(), int64(len(data)))], []byte("\n"))
	return nil, fmt.Errorf("line %d: %w", line, err)
}

func readJSONValue(dec *json.Decoder, at string, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	t, err := dec.Token()
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller names the file
	}
	switch t {
	case json.Delim('['):
		list := []any{}
		for i := 0; dec.More(); i++ {
			v, err := readJSONValue(dec, index(at, i), depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := dec.Token()
		return list, err //nolint:wrapcheck // the caller names the file
	case json.Delim('{'):
		object := make(map[string]any)
		for dec.More() {
			t, err := dec.Token()
			if err != nil {
				return nil, err //nolint:wrapcheck // the caller names the file
			}
			key := t.(string) //nolint:forcetypeassert // the decoder gives nothing else here
			if _, twice := object[key]; twice {
				return nil, fmt.Errorf("%s stands there twice", member(at, key))
			}
			if object[key], err = readJSONValue(dec, member(at, key), depth+1); err != nil {
				return nil, err
			}
		}
		_, err := dec.Token()
		return object, err //nolint:wrapcheck // the caller names the file
	default:
		return t, nil
	}
}

func readYAML(data []byte) (any, error) {
	if len(data) > maxYAML {
		return nil, fmt.Errorf("more than %d bytes of YAML: write so long a script as JSON", maxYAML)
	}
	if err := checkYAML(string(data)); err != nil {
		return nil, err
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var value, more any
	if err := dec.Decode(&value); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("the file is empty")
		}
		return nil, yamlError(err)
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one YAML document")
	}
	values := maxValues
	return plain(value, "", 0, &values)
}

// yamlError keeps what a YAML error says and where, in one line.
func yamlError(err error) error {
	message, _, _ := strings.Cut(yaml.FormatError(err, false, false), "\n")
	return errors.New(message)
}

// checkYAML scans a file before it is parsed, because the parser would follow
// any nesting down to the end of its stack.
func checkYAML(text string) error {
	var s scanner.Scanner
	s.Init(text)
	tokens, open, dashes, line := 0, 0, 0, 0
	for {
		list, err := s.Scan()
		if errors.Is(err, io.EOF) {
			return nil // other errors are the parser's to report: it knows the line
		}
		for _, t := range list {
			if tokens++; tokens > maxTokens {
				return fmt.Errorf("more than %d YAML tokens: write so long a script as JSON", maxTokens)
			}
			if t.Position.Line != line {
				line, dashes = t.Position.Line, 0
			}
			switch t.Type {
			case token.SequenceStartType, token.MappingStartType:
				open++
			case token.SequenceEndType, token.MappingEndType:
				open--
			case token.SequenceEntryType, token.MappingKeyType:
				if open == 0 {
					dashes++ // "- - -" nests without any bracket
				}
			default:
			}
			if open > maxDepth || dashes > maxDepth {
				return fmt.Errorf("nested deeper than %d", maxDepth)
			}
		}
	}
}
