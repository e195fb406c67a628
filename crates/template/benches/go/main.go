// Times the templates of everyday.jsonl with Go's own engine and the released sprig functions.
//
// Reads one case a line from standard input and prints the nanoseconds of parsing and executing
// each once, as JSON. The function map is built once; each round parses into it and executes.
package main

import (
	"bufio"
	"bytes"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"runtime"
	"strings"
	"text/template"
	"time"

	"github.com/Masterminds/sprig/v3"
	"golang.org/x/crypto/bcrypt"
	"golang.org/x/sys/unix"
	"sigs.k8s.io/yaml"
	"software.sslmate.com/src/go-pkcs12"
)

type testCase struct {
	Name     string            `json:"name"`
	Template string            `json:"template"`
	Data     map[string]string `json:"data"`
}

// The functions that sprig's release lacks, on the libraries the operator takes them from.
var own = template.FuncMap{
	"toYaml": func(v any) string {
		text, err := yaml.Marshal(v)
		if err != nil {
			return ""
		}
		return strings.TrimSuffix(string(text), "\n")
	},
	"pkcs12key": func(data string) (string, error) {
		key, _, _, err := pkcs12.DecodeChain([]byte(data), "")
		if err != nil {
			return "", err
		}
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			return "", err
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), nil
	},
	"pkcs12cert": func(data string) (string, error) {
		_, leaf, others, err := pkcs12.DecodeChain([]byte(data), "")
		if err != nil {
			return "", err
		}
		var out strings.Builder
		for _, cert := range append([]*x509.Certificate{leaf}, others...) {
			out.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw}))
		}
		return out.String(), nil
	},
	"filterPEM": func(kind, text string) string {
		var out strings.Builder
		rest := []byte(text)
		for {
			var block *pem.Block
			if block, rest = pem.Decode(rest); block == nil {
				return out.String()
			}
			if strings.EqualFold(block.Type, kind) {
				out.Write(pem.EncodeToMemory(block))
			}
		}
	},
	"htpasswd": func(user, password, _ string) (string, error) {
		hash, err := bcrypt.GenerateFromPassword([]byte(password), 10)
		return user + ":" + string(hash), err
	},
}

func main() {
	runtime.LockOSThread()
	base := template.New("").Option("missingkey=error").Funcs(sprig.TxtFuncMap()).Funcs(own)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var c testCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Printf("{\"name\":%q,\"nanos\":%d}\n", c.Name, measure(base, c))
	}
}

// measure runs rounds of growing length until one takes long enough, and keeps the best of many
// short measurements.
func measure(base *template.Template, c testCase) int64 {
	rounds := 1
	for {
		elapsed := run(base, c, rounds)
		if elapsed > 15*time.Millisecond {
			break
		}
		rounds *= 2
	}
	best := int64(1) << 62
	for range 25 {
		best = min(best, run(base, c, rounds).Nanoseconds()/int64(rounds))
	}
	return best
}

func run(base *template.Template, c testCase, rounds int) time.Duration {
	start := busy()
	for range rounds {
		parsed, err := base.New(c.Name).Parse(c.Template)
		if err != nil {
			panic(err)
		}
		var out bytes.Buffer
		if err := parsed.Execute(&out, c.Data); err != nil {
			panic(err)
		}
	}
	return busy() - start
}

// busy is how long this thread has been on a processor; collecting garbage in other threads does
// not count.
func busy() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		panic(err)
	}
	return time.Duration(now.Nano())
}
