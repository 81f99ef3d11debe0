#!/bin/sh
# EK1 with nothing but curl and openssl: signs one request and sends it.
#   sh ek1.sh GET  /openapi/v1/me
#   sh ek1.sh POST /openapi/v1/tasks '{"handler":"echo","clientRequestId":"order-1"}'
# Needs EVENKEEL_URL, EVENKEEL_ACCESS_KEY and EVENKEEL_SECRET_KEY. The target's query, if any, must be in canonical form already:
# names and values percent-encoded, pairs sorted. While openssl runs, other users of this machine can see the secret among its
# arguments: use another language for keys that matter.
set -eu
METHOD=$1 TARGET=$2 BODY=${3-}
TIMESTAMP=${EK1_TIMESTAMP:-$(date +%s)}
NONCE=${EK1_NONCE:-$(openssl rand -hex 16)}

path=${TARGET%%\?*}
query=${TARGET#"$path"}
digest=$(printf %s "$BODY" | openssl dgst -sha256 -r | cut -d' ' -f1)
canonical=$(printf 'EK1-HMAC-SHA256\n%s\n%s\n%s\n%s\n%s\n%s\n%s' \
  "$EVENKEEL_ACCESS_KEY" "$TIMESTAMP" "$NONCE" "$METHOD" "$path" "${query#\?}" "$digest")
signature=v1=$(printf %s "$canonical" | openssl dgst -sha256 -hmac "$EVENKEEL_SECRET_KEY" -r | cut -d' ' -f1)
[ -z "${EK1_PRINT-}" ] || { printf '%s\n' "$signature"; exit; }

set -- --silent --show-error --request "$METHOD" "$EVENKEEL_URL$TARGET" \
  --header "X-EK-Access-Key: $EVENKEEL_ACCESS_KEY" --header "X-EK-Timestamp: $TIMESTAMP" \
  --header "X-EK-Nonce: $NONCE" --header "X-EK-Signature: $signature"
[ -z "$BODY" ] || set -- "$@" --header 'Content-Type: application/json' --data-binary "$BODY"
curl "$@"
echo
