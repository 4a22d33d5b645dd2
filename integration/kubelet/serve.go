package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"confit/integration/kubelet/util"
)

// request is one line of input.
type request struct {
	Keys map[string]key `json:"keys"`
}

// key is one key of a request: either Data or Base64, and perhaps a mode.
type key struct {
	Data   *string `json:"data"`
	Base64 []byte  `json:"base64"`
	Mode   *int32  `json:"mode"`
}

// serve writes a payload for each line of in and answers each with a line on out. A line that cannot be written does not
// stop the next one; serve's own error then says how many there were.
func (v *volumeWriter) serve(in io.Reader, out io.Writer, mode int32) error {
	lines, failed := bufio.NewReader(in), 0
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			answer := v.answer(line, mode)
			if answer != "ok" {
				failed++
			}
			if _, err := fmt.Fprintln(out, answer); err != nil {
				return fmt.Errorf("cannot answer: %w", err)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("cannot read the next payload: %w", err)
		}
	}
	if failed > 0 {
		return fmt.Errorf("cannot write %d of the payloads: see stdout", failed)
	}
	return nil
}

// answer writes the payload of one line and says how that went, in one line.
func (v *volumeWriter) answer(line []byte, mode int32) string {
	p, err := decode(line, mode)
	if err == nil {
		err = v.write(p)
	}
	if err != nil {
		return "error: " + strings.ReplaceAll(err.Error(), "\n", " ")
	}
	return "ok"
}

// decode reads one line. It is strict, since a misspelt word would otherwise be a payload that nobody meant.
func decode(line []byte, mode int32) (payload, error) {
	var r request
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return nil, fmt.Errorf("cannot decode the payload: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("cannot decode the payload: more than one value on the line")
	}
	if r.Keys == nil {
		return nil, errors.New(`cannot decode the payload: no "keys" in it`)
	}
	p := payload{}
	for name, k := range r.Keys {
		file, err := k.file(mode)
		if err != nil {
			return nil, fmt.Errorf("cannot use key %q: %w", name, err)
		}
		p[name] = file
	}
	return p, nil
}

// file makes a file of the key, with mode unless it has one of its own.
func (k key) file(mode int32) (util.FileProjection, error) {
	file := util.FileProjection{Data: k.Base64, Mode: mode}
	if (k.Data == nil) == (k.Base64 == nil) {
		return file, errors.New("it needs data or base64, and not both")
	}
	if k.Data != nil {
		file.Data = []byte(*k.Data)
	}
	if k.Mode != nil {
		file.Mode = *k.Mode
	}
	return file, checkMode(file.Mode)
}
