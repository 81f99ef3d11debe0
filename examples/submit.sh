#!/bin/sh
# Submits a task with nothing but curl and openssl: the whole of the EK1 signature on one page.
# Needs a running quick start; reads its keys from DATA_DIR/quickstart.json with node.
#   sh examples/submit.sh                        echo {"hello":"world"}
#   sh examples/submit.sh sleep '{"ms":500}'     any handler and parameters (JSON)
set -eu

HANDLER=${1:-echo}
PARAMS=${2:-'{"hello":"world"}'}
FILE=${DATA_DIR:-./data}/quickstart.json
[ -r "$FILE" ] || { echo "submit.sh: no $FILE: run \`npm run quickstart\` first, or set DATA_DIR" >&2; exit 2; }

# Single quotes: the shell must not touch what node is given.
setting() { node -p 'process.argv[2].split(".").reduce((value, name) => value[name], JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")))' "$FILE" "$1"; }
URL=$(setting url)
ACCESS_KEY=$(setting app.accessKey)
SECRET_KEY=$(setting app.secretKey)

METHOD=POST
TARGET=/openapi/v1/tasks
# Repeating a request with the same clientRequestId never makes a second task: keep it until you have an answer.
BODY=$(printf '{"handler":"%s","params":%s,"clientRequestId":"%s"}' "$HANDLER" "$PARAMS" "$(openssl rand -hex 16)")

# Eight lines joined by LF, none at the end: scheme, key, time, nonce, method, path, sorted query (here none), SHA-256 of the body.
TIMESTAMP=$(date +%s)
NONCE=$(openssl rand -hex 16)
BODY_HASH=$(printf %s "$BODY" | openssl dgst -sha256 -r | cut -d' ' -f1)
CANONICAL=$(printf 'EK1-HMAC-SHA256\n%s\n%s\n%s\n%s\n%s\n\n%s' "$ACCESS_KEY" "$TIMESTAMP" "$NONCE" "$METHOD" "$TARGET" "$BODY_HASH")
# The secret is used as displayed, its prefix included. While openssl runs, others on this machine can see it among the arguments:
# fine for a demo key, not for a real one; the SDK and any language's HMAC function keep it in memory.
SIGNATURE=$(printf %s "$CANONICAL" | openssl dgst -sha256 -hmac "$SECRET_KEY" -r | cut -d' ' -f1)

curl --silent --show-error --fail-with-body --request "$METHOD" "$URL$TARGET" \
  --header 'Content-Type: application/json' \
  --header "X-EK-Access-Key: $ACCESS_KEY" \
  --header "X-EK-Timestamp: $TIMESTAMP" \
  --header "X-EK-Nonce: $NONCE" \
  --header "X-EK-Signature: v1=$SIGNATURE" \
  --data-binary "$BODY"
echo
