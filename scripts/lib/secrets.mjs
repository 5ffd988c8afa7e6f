import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './run.mjs'
import { listFiles } from './sources.mjs'

/** Forms of secrets that give access to something. Each matches the secret itself in its group, or as a whole. */
const forms = {
  'private key (PEM)': /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----\s+[A-Za-z0-9+/=\s]{64}/g,
  'private key (hex)': /(?:private_?key|secret|_key|keypair)['"`]?\s*[:=]\s*['"`]?(?:0x)?([0-9a-f]{64})\b/gi,
  'key of AWS': /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  'token of GitHub': /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{50,})\b/g,
  'token of npm': /\bnpm_[A-Za-z0-9]{36}\b/g,
  'token of Slack': /\bxox[abeoprs]-[A-Za-z0-9-]{16,}/g,
  'key of Stripe': /\b[rs]k_live_[A-Za-z0-9]{16,}\b/g,
  'key of Google': /\bAIza[\w-]{35}\b/g,
  'token of Vault': /\bhv[sbr]\.[A-Za-z0-9_-]{20,}/g,
  'key of Latchkey': /\blko?_[A-Za-z0-9_-]{43}\b/g,
  'token (JWT)': /\beyJ[\w-]{16,}\.eyJ[\w-]{16,}\.[\w-]{32,}/g,
  'password in a URL':
    /\b[a-z][a-z0-9+]{2,20}:\/\/[^\s/:@'"`<>{}$]+:([^\s/:@'"`<>{}$]{8,})@(?!localhost|127\.|[\w.-]*\bexample\b)[\w.-]+/g,
}

/** Files that hold what looks like a secret, and why it is none. */
export const exceptions = {
  'packages/dev/src/chain/devAccounts.ts': 'accounts of the mnemonic that every test chain publishes',
  'packages/testkit/src/localhostCertificate.ts': 'of a certificate for localhost that is in no list of authorities',
  'packages/testkit/src/signer/vectors.ts': 'made for vectors, from the published clients',
  'packages/server/src/custody/bundles/hpke.test.ts': 'made for vectors',
  'packages/server/src/custody/bundles/signedBundles.test.ts': 'made for vectors',
  'packages/server/src/custody/stamps/verifyApiKeyStamp.test.ts': 'made for vectors',
  'packages/server/src/keys/awsKmsKeyEncryption.test.ts': 'an id of zeros',
  'packages/server/src/keys/bundleSigningPublicKey.test.ts': 'made for vectors',
  'packages/server/src/keys/createStamp.test.ts': 'made for vectors',
}

/** Files of the repository, also those that are not committed yet, and those that are built for the tarballs. */
export function listScanned() {
  const built = [
    'latchkey/dist',
    'server/dist',
    'server/pages',
    'server/console',
    'dev/dist',
    'dev/example',
    'create/dist',
  ]
  return [...new Set([...listFiles(''), ...built.flatMap((path) => walk(`packages/${path}`))])]
}

/**
 * What looks like a secret in files: the place and the form, never the secret. One of a listed file is none elsewhere either, such
 * as in what is built from it.
 */
export function findSecrets(paths, { from = root, listed = exceptions } = {}) {
  const known = new Map(Object.keys(listed).map((path) => [path, scan(from, path).map(({ secret }) => secret)]))
  const isKnown = new Set([...known.values()].flat())
  const faults = paths.flatMap((path) =>
    scan(from, path)
      .filter(({ secret }) => !isKnown.has(secret))
      .map(({ line, form }) => `${path}:${line} holds what looks like a secret: ${form}`),
  )
  const unused = Object.keys(listed).filter((path) => known.get(path).length === 0)
  return [...faults, ...unused.map((path) => `${path} is an exception, and holds no such thing`)]
}

function scan(from, path) {
  const file = join(from, path)
  if (!existsSync(file) || !statSync(file).isFile()) return []
  const text = readFileSync(file, 'latin1')
  return Object.entries(forms).flatMap(([form, expression]) =>
    [...text.matchAll(expression)]
      .map((match) => ({ form, secret: (match[1] ?? match[0]).toLowerCase(), at: match.index }))
      .filter(({ secret }) => !isMadeUp(secret))
      .map(({ form, secret, at }) => ({ form, secret, line: text.slice(0, at).split('\n').length })),
  )
}

/** A word in place of a password, or a key that a hand wrote, such as one byte repeated. */
function isMadeUp(secret) {
  if (/^p(?:assword|ässword|%[\w%]*)$/.test(secret)) return true
  return /^(?:0x)?[0-9a-f]{64}$/i.test(secret) && new Set(secret.match(/../g)).size < 16
}

function walk(folder) {
  const path = join(root, folder)
  if (!existsSync(path)) return []
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
}
