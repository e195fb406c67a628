//go:build tools

// Package tools pins the released module whose main package is built.
package tools

import _ "github.com/fluxcd/kustomize-controller"
