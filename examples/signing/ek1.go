// EK1 for Go 1.21 and newer, standard library only.
//
//	status, answer, err := Request("GET", "/openapi/v1/me", "")   or:  go run ek1.go GET /openapi/v1/me
//
// Needs EVENKEEL_URL, EVENKEEL_ACCESS_KEY and EVENKEEL_SECRET_KEY.
package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"
)

func encode(text string) (string, error) {
	plain, err := url.QueryUnescape(text)
	if err != nil {
		return "", err
	}
	return strings.ReplaceAll(url.QueryEscape(plain), "+", "%20"), nil
}

// CanonicalQuery encodes the pairs, then sorts them by name and value.
func CanonicalQuery(query string) (string, error) {
	var pairs [][2]string
	for _, pair := range strings.Split(query, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		encodedName, err := encode(name)
		if err != nil {
			return "", err
		}
		encodedValue, err := encode(value)
		if err != nil {
			return "", err
		}
		pairs = append(pairs, [2]string{encodedName, encodedValue})
	}
	sort.Slice(pairs, func(i, j int) bool {
		if pairs[i][0] != pairs[j][0] {
			return pairs[i][0] < pairs[j][0]
		}
		return pairs[i][1] < pairs[j][1]
	})
	joined := make([]string, len(pairs))
	for i, pair := range pairs {
		joined[i] = pair[0] + "=" + pair[1]
	}
	return strings.Join(joined, "&"), nil
}

// Sign returns the four headers of a request. target is path and query, body the exact text that is sent.
func Sign(accessKey, secret, method, target, body, timestamp, nonce string) (map[string]string, error) {
	path, rawQuery, _ := strings.Cut(target, "?")
	query, err := CanonicalQuery(rawQuery)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256([]byte(body))
	canonical := strings.Join([]string{
		"EK1-HMAC-SHA256", accessKey, timestamp, nonce, method, path, query, hex.EncodeToString(digest[:]),
	}, "\n")
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(canonical))
	return map[string]string{
		"X-EK-Access-Key": accessKey,
		"X-EK-Timestamp":  timestamp,
		"X-EK-Nonce":      nonce,
		"X-EK-Signature":  "v1=" + hex.EncodeToString(mac.Sum(nil)),
	}, nil
}

func orElse(name, fallback string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return fallback
}

func headers(method, target, body string) (map[string]string, error) {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	return Sign(os.Getenv("EVENKEEL_ACCESS_KEY"), os.Getenv("EVENKEEL_SECRET_KEY"), method, target, body,
		orElse("EK1_TIMESTAMP", strconv.FormatInt(time.Now().Unix(), 10)), orElse("EK1_NONCE", hex.EncodeToString(random)))
}

// Request signs and sends; body is JSON text.
func Request(method, target, body string) (int, string, error) {
	call, err := http.NewRequest(method, os.Getenv("EVENKEEL_URL")+target, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	signed, err := headers(method, target, body)
	if err != nil {
		return 0, "", err
	}
	for name, value := range signed {
		call.Header.Set(name, value)
	}
	if body != "" {
		call.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(call)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text), err
}

func main() {
	arguments := append(os.Args[1:], "", "", "")
	method, target, body := arguments[0], arguments[1], arguments[2]
	if os.Getenv("EK1_PRINT") != "" {
		signed, err := headers(method, target, body)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(signed["X-EK-Signature"])
		return
	}
	_, text, err := Request(method, target, body)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(text)
}
