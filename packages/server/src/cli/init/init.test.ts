import { createPublicKey } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../readConfig.ts'
import { run } from '../run.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-init-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Options = { environment?: Record<string, string>; ask?: (question: string) => Promise<string> }

async function init(words: readonly string[], { environment = {}, ask }: Options = {}) {
  const [printed, errors]: [string[], string[]] = [[], []]
  const code = await run({
    arguments: ['init', ...words],
    environment,
    print: (text) => printed.push(text),
    printError: (text) => errors.push(text),
    stop: new AbortController().signal,
    ...(ask && { ask }),
  })
  return { code, text: printed.join('\n'), error: errors.join('\n') }
}

let count = 0
const newFolder = () => join(folder, `server-${++count}`)
const chain = ['--chain', '8453,https://node.example/KEY,https://bundler.example']
const first = ['--domain', 'shop.example', ...chain]

const listFiles = (path: string) =>
  readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(path, name)).isFile())

function readEnv(...paths: string[]): Record<string, string> {
  const lines = paths.flatMap((path) => readFileSync(path, 'utf8').trim().split('\n'))
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}

const roles = 'mail custody signer-api gateway webhooks auth-frame export-frame import-frame admin console'.split(' ')

test('writes settings with which every role starts in production, from a domain and a chain', async () => {
  const out = newFolder()
  const { code, text, error } = await init([...first, '--out', out])
  expect([code, error]).toEqual([0, ''])
  expect(text).toContain(`WARNING: copy ${out}/secrets/custody/LATCHKEY_KEY_ENCRYPTION_KEY to two places`)
  const ports = roles.map((role) => {
    const config = readConfig(readEnv(join(out, 'env/common.env'), join(out, `env/${role}.env`)))
    expect(config.server.roles).toEqual([role.endsWith('-frame') ? 'frames' : role])
    return config.port
  })
  expect(new Set(ports).size).toBe(roles.length)
  const { server } = readConfig(readEnv(join(out, 'env/common.env'), join(out, 'env/gateway.env')))
  expect(server.projects).toMatchObject([{ id: 'app', allowedOrigins: ['https://app.shop.example'] }])
  expect(server.gateway?.policies).toMatchObject([
    { rules: { chains: [8453], limits: { policy: { day: { cost: '100000000000000000' } } } } },
  ])
})

test('gives each role its own secrets alone, readable by their owner, and prints none', async () => {
  const out = newFolder()
  const { text } = await init([...first, '--out', out, '--json'])
  const files = listFiles(out)
  for (const name of files) expect(statSync(join(out, name)).mode & 0o777, name).toBe(0o600)
  for (const name of ['', 'secrets', 'secrets/custody', 'env'])
    expect(statSync(join(out, name)).mode & 0o777).toBe(0o700)
  expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
  for (const role of roles) {
    const own = readFileSync(join(out, `env/${role}.env`), 'utf8')
    for (const [, place] of own.matchAll(/\/secrets\/([\w-]+)\//g)) expect(place).toBe(role)
  }
  const values = (test: RegExp) =>
    files.filter((name) => test.test(name)).map((name) => readFileSync(join(out, name), 'utf8').trim())
  const { apiKey } = JSON.parse(readFileSync(join(out, 'projects.json'), 'utf8'))[0]
  const passwords = values(/database-url$/).map((url) => new URL(url).password)
  expect(new Set(passwords).size).toBe(7)
  const secrets = [apiKey, ...passwords, ...values(/^secrets\/.*(?:_KEY|private|url|sql)$/)]
  const shown = [text, ...values(/^(?:env|proxy|systemd)\/|NEXT\.md$|dns\.zone$|run\.sh$/)].join('\n')
  for (const secret of secrets) expect(shown).not.toContain(secret)
})

test('publishes the key by which the mail server on this machine signs, and none for another', async () => {
  const [out, elsewhere] = [newFolder(), newFolder()]
  await init([...first, '--address', '2001:db8::7', '--out', out])
  const zone = readFileSync(join(out, 'dns.zone'), 'utf8')
  const [, parts = ''] = /^latchkey\._domainkey\.shop\.example\. 3600 IN TXT (.*)$/m.exec(zone) ?? []
  for (const [, part = ''] of parts.matchAll(/"([^"]*)"/g)) expect(part.length).toBeLessThanOrEqual(255)
  const key = createPublicKey(readFileSync(join(out, 'secrets/dkim/latchkey.private'), 'utf8'))
  const published = key.export({ type: 'spki', format: 'der' }).toString('base64')
  expect(parts.replaceAll(/" "|"/g, '')).toBe(`v=DKIM1; k=rsa; p=${published}`)
  expect(zone).toContain('custody.shop.example. 3600 IN AAAA 2001:db8::7\n')
  expect(zone).toContain('shop.example. 3600 IN TXT "v=spf1 ip6:2001:db8::7 -all"\n')
  await init([...first, '--smtp', 'smtps://u:p@smtp.example', '--out', elsewhere])
  expect(readFileSync(join(elsewhere, 'dns.zone'), 'utf8')).not.toMatch(/^[^;].*_domainkey/m)
  expect(listFiles(elsewhere).filter((name) => /dkim|^mail\//.test(name))).toEqual([])
})

test.each([
  ['', 'Give --domain: your app'],
  ['--domain https://shop.example', '--domain must be a domain of yours'],
  ['--domain localhost', '--domain must be a domain of yours'],
  ['--domain shop.example', 'Give --chain: the chain'],
  ['--domain shop.example --chain 8453,https://node.example', '--chain must be ID,NODE_URL,BUNDLER_URL'],
  ['--database mysql://a:b@c/d', '--database must be postgres://'],
  ['--smtp mail.example', '--smtp must be smtps://'],
  ['--keys file', '--keys file is for development only, and production refuses it'],
  ['--keys vault:https://vault.example:8200/wallets', 'set LATCHKEY_VAULT_TOKEN'],
  ['--keys aws-kms:alias/wallets', '--keys aws-kms needs the ARN'],
  ['--keys azure', '--keys must be secret, vault:URL/KEY, aws-kms:ARN or gcp-kms:NAME.'],
  ['--for docker', '--for must be compose, helm, systemd.'],
  ['--for helm', 'Give --database:'],
  ['--for compose --smtp smtp://localhost', 'inside a container is the container itself'],
])('refuses "%s" without a terminal', async (words, message) => {
  const out = newFolder()
  const refused = await init([...words.split(' ').filter(Boolean), '--out', out])
  expect(refused).toMatchObject({ code: 2, text: '', error: expect.stringContaining(message) })
  expect(readdirSync(folder).filter((name) => name.includes(`server-${count}`))).toEqual([])
})

test.each([
  ['--origins http://app.shop.example', 'which is plain http'],
  ['--name a"b', '--name must be'],
  ['--address here', '--address must be the public IP address'],
])('refuses %s', async (words, message) => {
  const out = newFolder()
  const refused = await init([...first, ...words.split(' '), '--out', out])
  expect(refused).toMatchObject({ code: 2, error: expect.stringContaining(message) })
  expect(readdirSync(folder).filter((name) => name.includes(`server-${count}`))).toEqual([])
})

test('changes no folder that holds something', async () => {
  const out = newFolder()
  mkdirSync(out)
  writeFileSync(join(out, 'projects.json'), '[]')
  const refused = await init([...first, '--out', out])
  expect(refused).toMatchObject({ code: 1, error: expect.stringContaining('exists and is not empty') })
  expect(listFiles(out)).toEqual(['projects.json'])
  expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
})

test('asks in a terminal until the answer can be used, and takes a default for an empty one', async () => {
  const out = newFolder()
  const asked: string[] = []
  const answers = ['shop', 'shop.example', '', '', '1 https://node.example https://bundler.example', '']
  const environment = { DATABASE_URL: 'postgres://owner:its-password@db.example/latchkey' }
  const ask = async (question: string) => {
    asked.push(question)
    return answers.shift() ?? ''
  }
  const { code, text } = await init(['--out', out], { ask, environment })
  expect(code).toBe(0)
  expect(asked.map((question) => question.split(':')[0])).toEqual([
    'domain',
    'domain',
    'database',
    'smtp',
    'chain',
    'keys',
  ])
  expect(text).toContain('--domain must be a domain of yours')
  expect(asked[2]).toContain('[from DATABASE_URL]')
  expect(asked.join('')).not.toContain('its-password')
  const url = readFileSync(join(out, 'secrets/mail/mail-database-url'), 'utf8')
  expect(url).toMatch(/^postgres:\/\/latchkey_mail:[\w-]{32}@db\.example\/latchkey\n$/)
  const stubborn = await init(['--out', newFolder()], { ask: async () => 'shop' })
  expect(stubborn).toMatchObject({ code: 2, error: '--domain could not be read. Nothing was written.' })
})

test.each([
  [
    'vault:https://vault.example:8200/wallets',
    { type: 'vault', url: 'https://vault.example:8200', token: 't', key: 'wallets' },
  ],
  [
    'aws-kms:arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab',
    { type: 'aws-kms', region: 'eu-central-1' },
  ],
  [
    'gcp-kms:projects/p/locations/l/keyRings/r/cryptoKeys/k',
    { type: 'gcp-kms', key: 'projects/p/locations/l/keyRings/r/cryptoKeys/k' },
  ],
])('gives custody the key service %s instead of a key', async (keys, service) => {
  const out = newFolder()
  const environment = { LATCHKEY_VAULT_TOKEN: 't' }
  const { code, text } = await init([...first, '--keys', keys, '--out', out], { environment })
  expect([code, text]).toEqual([0, expect.not.stringContaining('WARNING')])
  const { server } = readConfig(readEnv(join(out, 'env/common.env'), join(out, 'env/custody.env')))
  expect(server.custody?.keyEncryption).toMatchObject(service)
  expect(listFiles(out).filter((name) => name.endsWith('LATCHKEY_KEY_ENCRYPTION_KEY'))).toEqual([])
})
