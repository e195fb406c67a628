//go:build tools

// Package tools pins the released module whose main package is built.
package tools

import _ "helm.sh/helm/v3/cmd/helm"
