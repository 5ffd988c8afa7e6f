#!/usr/bin/env bash
# The restore drill of docs/operate/backup.md: bash drill.sh backup.age backup.key heads
# DATABASE_URL names an empty database on a machine that serves nobody; the other settings are those of custody.
set -euo pipefail
if [ $# -ne 3 ]; then echo "Usage: bash drill.sh BACKUP IDENTITY HEADS" >&2; exit 2; fi
backup=$1 identity=$2 heads=$3

if [ "$(psql "$DATABASE_URL" -Atc "select to_regclass('wallets') is null")" != t ]; then
  echo "The database of DATABASE_URL is not empty. Name a new one. Nothing was changed." >&2
  exit 2
fi
SECONDS=0
age -d -i "$identity" "$backup" | pg_restore --exit-on-error --single-transaction --no-owner --no-privileges --dbname "$DATABASE_URL"
latchkey-server audit verify --heads "$heads"
# A dump of an older release.
latchkey-server migrate
latchkey-server grants --apply
# Of custody's checks, those that a restored database can fail.
report=$(LATCHKEY_ROLES=custody latchkey-server doctor || true)
for check in schema 'key encryption' 'stored keys'; do
  grep -E "^ok +$check " <<<"$report" || { grep -E "^[a-zA-Z]+ +$check " <<<"$report" >&2; exit 1; }
done
wallets=$(psql "$DATABASE_URL" -Atc 'select count(*) from wallets')
echo "Restored $wallets wallets in $SECONDS s. Start the roles, sign in and sign something; then record both times."
