// Package apply brings ConfigMaps and Secrets of a file to the API server, and puts the old ones back.
//
// It guarantees that nothing is changed as long as anything of the file is wrong, would be refused by the server, or belongs
// to Argo CD, Flux or Helm; that an object is applied only onto the one that was read before, and put back only in the place
// of the one that was applied, each time by its resourceVersion; and that fields have the same owners afterwards as kubectl
// apply --server-side would leave them, its annotation of what was applied last among them, or as they had before.
//
// It neither tries an object nor waits for pods: packages check, sync and follow do that. It prints nothing, and no error
// holds a value of a key.
package apply
