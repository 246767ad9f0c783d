#!/bin/sh
# A whole service for this script, in memory; it ends with the script. FICHARIO is the path of the program. Needs curl.
set -eu
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
mkfifo "$dir/ready"
"${FICHARIO:-fichario}" serve --ephemeral --listen 127.0.0.1:0 >"$dir/ready" 2>"$dir/log" &
read -r line <"$dir/ready" || { cat "$dir/log" >&2; exit 1; }
url=$(echo "$line" | sed 's/.*"url":"\([^"]*\)".*/\1/')
key=$(echo "$line" | sed 's/.*"chave":"\([^"]*\)".*/\1/')

# The bureau cannot be reached: nothing is charged.
curl -sf -X PUT "$url/_/script" --data-binary '{cases: [{document: 52998224725, fault: refuse}]}' >/dev/null
ask() { curl -s -H "Authorization: Bearer $key" "$url$1"; }
ask /api/v1/cpf/52998224725 | grep -q bureau_indisponivel || { echo "the bureau was reached"; exit 1; }
ask /api/v1/consultas | grep -q '"mes":0[,}]' || { echo "something was charged"; exit 1; }
echo "ok: nothing was charged for what could not be sent"
