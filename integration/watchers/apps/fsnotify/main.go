// Command fsnotify is a service that watches the directory of its configuration, and reads it again at an event that bears the
// file's name: the usual way to use fsnotify, as editors replace a file by rename.
package main

import (
	"log"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/fsnotify/fsnotify"
)

var configuration atomic.Pointer[[]byte]

func main() {
	path := os.Args[1]
	watcher, err := fsnotify.NewWatcher()
	if err == nil {
		err = watcher.Add(filepath.Dir(path))
	}
	if err == nil {
		err = read(path)
	}
	if err != nil {
		log.Fatal(err)
	}
	go follow(watcher, path)
	log.Fatal(http.ListenAndServe(os.Args[2], http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(*configuration.Load())
	})))
}

func follow(watcher *fsnotify.Watcher, path string) {
	for event := range watcher.Events {
		if filepath.Base(event.Name) != filepath.Base(path) || !event.Has(fsnotify.Create|fsnotify.Write) {
			continue
		}
		if err := read(path); err != nil {
			log.Print(err)
		}
	}
}

func read(path string) error {
	text, err := os.ReadFile(path)
	if err == nil {
		configuration.Store(&text)
	}
	return err
}
