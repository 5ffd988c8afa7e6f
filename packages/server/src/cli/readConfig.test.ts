import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readConfig, readCustodyTask, readDatabaseUrl } from './readConfig.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-config-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Production requires random keys. */
const keys = Array.from({ length: 10 }, () => randomBytes(32).toString('hex'))
const key = (nth: number) => keys[nth] ?? ''

const complete = {
  DATABASE_URL: 'postgres://localhost/latchkey',
  LATCHKEY_ROOT_ORGANIZATION_ID: '11111111-2222-4333-8444-555555555555',
  LATCHKEY_CUSTODY_URL: 'https://custody.example',
  LATCHKEY_AUTH_FRAME_URL: 'https://auth.example',
  LATCHKEY_EXPORT_FRAME_URL: 'https://export.example',
  LATCHKEY_IMPORT_FRAME_URL: 'https://import.example',
  LATCHKEY_KEY_ENCRYPTION_KEY: key(1),
  LATCHKEY_MAIL_SEAL_KEY: key(2),
  LATCHKEY_ROOT_API_PUBLIC_KEY: '02',
  LATCHKEY_ROOT_API_PRIVATE_KEY: key(3),
  LATCHKEY_SMTP_URL: 'smtp://localhost:25',
  LATCHKEY_MAIL_FROM: 'a@b.example',
  LATCHKEY_NODE_URL: 'http://localhost:8545',
  LATCHKEY_BUNDLER_URL: 'http://localhost:4337',
  LATCHKEY_CHAIN_ID: '31337',
  LATCHKEY_PAYMASTER_KEY: key(4),
}

test('reads a complete configuration', () => {
  const config = readConfig(complete)
  expect(config).toMatchObject({
    host: '127.0.0.1',
    port: 8080,
    logLevel: 'info',
    drainSeconds: 5,
    allowedHosts: ['custody.example', 'auth.example', 'export.example', 'import.example'],
  })
  expect(config.server.roles).toEqual(['custody', 'signer-api', 'mail', 'gateway', 'webhooks', 'frames'])
  expect(config.server.signerApi?.custodyUrl).toBe('https://custody.example')
  expect(config.server.gateway?.chains.map(({ chainId }) => chainId)).toEqual([31337])
})

test('requires a database URL only for roles without their own', () => {
  const { DATABASE_URL, ...rest } = complete
  const frames = readConfig({ ...rest, LATCHKEY_ROLES: 'frames' }).server
  expect([frames.databaseUrl, frames.databaseUrls]).toEqual([undefined, undefined])
  const own = {
    ...rest,
    LATCHKEY_ROLES: 'frames,mail',
    LATCHKEY_MAIL_DATABASE_URL: 'postgres://mail@localhost/latchkey',
  }
  expect(readConfig(own).server.databaseUrls).toEqual({ mail: 'postgres://mail@localhost/latchkey' })
  expect(() => readConfig({ ...own, LATCHKEY_ROLES: 'mail,gateway' })).toThrow('DATABASE_URL is missing')
  const task = readCustodyTask({
    DATABASE_URL,
    LATCHKEY_CUSTODY_DATABASE_URL: 'postgres://custody@localhost/x',
    LATCHKEY_KEY_ENCRYPTION_KEY: key(1),
  })
  expect(task.databaseUrl).toBe('postgres://custody@localhost/x')
})

test('starts the admin API only by name and with its key', () => {
  expect(readConfig(complete).server.admin).toBeUndefined()
  const named = { ...complete, LATCHKEY_ROLES: 'gateway,admin' }
  expect(() => readConfig(named)).toThrow('LATCHKEY_OPERATOR_KEY is missing')
  const { server } = readConfig({
    ...named,
    LATCHKEY_OPERATOR_KEY: key(7),
    LATCHKEY_ADMIN_DATABASE_URL: 'postgres://admin@localhost/x',
    LATCHKEY_EVENT_DAYS: '3',
  })
  expect([server.admin, server.databaseUrls]).toEqual([
    { operatorKey: key(7), custodyUrl: complete.LATCHKEY_CUSTODY_URL },
    { admin: 'postgres://admin@localhost/x' },
  ])
  expect(server.gateway?.retention).toEqual({ eventDays: 3, operationDays: 365 })
})

test('reads LATCHKEY_JWT_ISSUERS_FILE', () => {
  const path = join(folder, 'issuers.json')
  const named = { projectId: 'shop', issuer: 'https://id.example', audience: 'wallet' }
  const issuer = { ...named, algorithms: ['ES256'], keys: { url: 'https://id.example/jwks.json' } }
  const read = (content: string) => {
    writeFileSync(path, content)
    return readConfig({ ...complete, LATCHKEY_JWT_ISSUERS_FILE: path }).server.jwt
  }
  expect(readConfig(complete).server.jwt).toBeUndefined()
  expect(read(JSON.stringify([issuer]))).toEqual([issuer])
  expect(read(JSON.stringify([{ ...issuer, type: 'at+jwt' }]))).toEqual([{ ...issuer, type: 'at+jwt' }])
  for (const [content, text] of [
    ['', 'LATCHKEY_JWT_ISSUERS_FILE: <path> cannot be read as JSON'],
    ['{}', 'must hold a list of { projectId, issuer, audience, algorithms, keys }; see its start'],
    [JSON.stringify([{ ...issuer, algorithms: ['none'] }]), '0.algorithms'],
    [JSON.stringify([{ ...issuer, algorithms: ['HS256'] }]), '0.algorithms'],
  ] as const)
    expect(() => read(content), content).toThrow(text.replace('<path>', path))
})

test('reads LATCHKEY_CHAINS_FILE', () => {
  const path = join(folder, 'chains.json')
  const chain = {
    chainId: 10,
    nodeUrls: ['https://a.example/key', 'https://b.example'],
    bundlerUrls: ['http://c.example'],
  }
  const full = {
    ...chain,
    chainId: 31337,
    names: ['dev'],
    paymasters: { '0.6.0': `0x${'ab'.repeat(20)}` },
    nativeCurrency: { name: 'Pebble', symbol: 'PBL', decimals: 3 },
    timeoutsMs: { node: 5000 },
  }
  // The chains file replaces the settings of a single chain.
  const { LATCHKEY_NODE_URL: _node, LATCHKEY_BUNDLER_URL: _bundler, LATCHKEY_CHAIN_ID: _id, ...rest } = complete
  const read = (content: string) => {
    writeFileSync(path, content)
    return readConfig({ ...rest, LATCHKEY_CHAINS_FILE: path }).server.gateway
  }
  expect(read(JSON.stringify([chain, full]))).toEqual({
    chains: [chain, full],
    paymasterKey: { type: 'secret', key: key(4) },
    mode: 'production',
    retention: { eventDays: 7, operationDays: 365 },
  })
  expect(() => readConfig(rest)).toThrow('LATCHKEY_NODE_URL is missing')
  for (const [content, text] of [
    ['', 'LATCHKEY_CHAINS_FILE: <path> cannot be read as JSON'],
    ['[]', 'see its start'],
    [JSON.stringify([{ ...chain, nodeUrls: ['secret'] }]), 'see 0.nodeUrls.0'],
    [JSON.stringify([{ ...chain, paymasters: { '0.7.0': 'x' } }]), 'see 0.paymasters.0.7.0'],
  ] as const)
    expect(() => read(content), content).toThrow(text.replace('<path>', path))
})

function problemsOf(environment: Parameters<typeof readConfig>[0]): string {
  try {
    readConfig(environment)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

test('names each missing setting with its meaning', () => {
  const lines = problemsOf({ LATCHKEY_ROLES: 'custody,signer-api,mail,gateway,webhooks,frames,admin,console' })
    .split('\n')
    .slice(1)
  expect(lines).toContain(
    '  - LATCHKEY_PAYMASTER_KEY is missing: gateway: signing key of the paymasters, 32 bytes in hex (or set LATCHKEY_PAYMASTER_WRAPPED_KEY)',
  )
  expect(lines.filter((line) => line.includes('undefined') || !/ is missing: \S/.test(line))).toEqual([])
})

test('reports all mistakes at once, without values', () => {
  const environment = {
    ...complete,
    DATABASE_URL: '',
    LATCHKEY_ROLES: 'custody,gateway,miner',
    LATCHKEY_PORT: 'eighty',
    LATCHKEY_NODE_URL: 'secret value',
    LATCHKEY_MAIL_SEAL_KEY_FILE: join(folder, 'none'),
    LATCHKEY_MAIL_SEAL_KEY: undefined,
  }
  expect(problemsOf(environment).replaceAll(folder, '<folder>')).toMatchInlineSnapshot(`
    "The configuration is not complete:
      - LATCHKEY_ROLES: unknown miner; there are custody, signer-api, mail, gateway, webhooks, frames, admin, console
      - DATABASE_URL is missing: PostgreSQL, such as postgres://user:password@host:5432/latchkey; TLS is required except on this machine or with ?sslmode=disable; not needed by frames and console
      - LATCHKEY_MAIL_SEAL_KEY_FILE: the file <folder>/none cannot be read
      - LATCHKEY_MAIL_SEAL_KEY is missing: custody and mail: 32 bytes in hex, with which custody encrypts emails for the mail role
      - LATCHKEY_NODE_URL is not a URL
      - LATCHKEY_PORT must be a whole number"
  `)
  expect(() => readDatabaseUrl({})).toThrow('DATABASE_URL is missing')
})

test('names the variable that set an invalid setting', () => {
  const path = join(folder, 'port')
  writeFileSync(path, 'eighty')
  const environment = { ...complete, LATCHKEY_PORT: undefined, LATCHKEY_PORT_FILE: path }
  expect(problemsOf(environment)).toContain('LATCHKEY_PORT (from LATCHKEY_PORT_FILE) must be a whole number')
})

test('reads the logins of Vault', () => {
  const vault = {
    LATCHKEY_KEY_ENCRYPTION: 'vault',
    LATCHKEY_VAULT_URL: 'https://vault.example',
    LATCHKEY_VAULT_KEY: 'wallets',
  }
  const read = (more: Record<string, string>) =>
    readConfig({ ...complete, LATCHKEY_ROLES: 'custody', ...vault, ...more }).server.custody?.keyEncryption
  const appRole = { LATCHKEY_VAULT_AUTH: 'approle', LATCHKEY_VAULT_ROLE_ID: 'r', LATCHKEY_VAULT_SECRET_ID: 's' }
  expect(read(appRole)).toMatchObject({ login: { method: 'approle', roleId: 'r', secretId: 's' } })
  const kubernetes = { LATCHKEY_VAULT_AUTH: 'kubernetes', LATCHKEY_VAULT_ROLE: 'r', LATCHKEY_VAULT_AUTH_MOUNT: 'eu' }
  expect(read(kubernetes)).toMatchObject({ login: { method: 'kubernetes', role: 'r', mount: 'eu' } })
  expect(() => read({ LATCHKEY_VAULT_AUTH: 'approle' })).toThrow('LATCHKEY_VAULT_ROLE_ID is missing')
  expect(() => read({})).toThrow('LATCHKEY_VAULT_TOKEN is missing')
})

test('reads LATCHKEY_KEY_ENCRYPTION and its predecessors', () => {
  const read = (changes: Record<string, string>) => readConfig({ ...complete, ...changes }).server.custody
  expect(read({})).toMatchObject({
    keyEncryption: { type: 'local', key: key(1) },
    previousKeyEncryption: [],
    mode: 'production',
    stepUp: 'required',
  })
  const previous = { LATCHKEY_KEY_ENCRYPTION_PREVIOUS_KEYS: `${key(5)}, ${key(6)}` }
  expect(read(previous)?.previousKeyEncryption).toEqual([
    { type: 'local', key: key(5) },
    { type: 'local', key: key(6) },
  ])
  const vault = {
    LATCHKEY_KEY_ENCRYPTION: 'vault',
    LATCHKEY_VAULT_URL: 'https://vault.example',
    LATCHKEY_VAULT_TOKEN: 't',
    LATCHKEY_VAULT_KEY: 'wallets',
  }
  expect(read(vault)?.keyEncryption).toMatchObject({ type: 'vault', url: 'https://vault.example', key: 'wallets' })
  const kms = {
    LATCHKEY_AWS_KMS_KEY: 'alias/wallets',
    LATCHKEY_AWS_REGION: 'eu-central-1',
    LATCHKEY_AWS_ACCESS_KEY_ID: 'AKIA',
    LATCHKEY_AWS_SECRET_ACCESS_KEY: 's',
  }
  const ofKms = {
    type: 'aws-kms',
    key: 'alias/wallets',
    region: 'eu-central-1',
    accessKeyId: 'AKIA',
    secretAccessKey: 's',
  }
  expect(read({ ...kms, LATCHKEY_KEY_ENCRYPTION: 'aws-kms' })?.keyEncryption).toMatchObject(ofKms)
  expect(() => read({ LATCHKEY_KEY_ENCRYPTION: 'aws-kms' })).toThrow('LATCHKEY_AWS_KMS_KEY is missing')
  // The previous keys may be in another key service, or plain secrets in the settings.
  expect(read({ ...vault, ...kms, LATCHKEY_KEY_ENCRYPTION_PREVIOUS: 'aws-kms', ...previous })).toMatchObject({
    keyEncryption: { type: 'vault' },
    previousKeyEncryption: [ofKms, { type: 'local', key: key(5) }, { type: 'local', key: key(6) }],
  })
  expect(() => read({ LATCHKEY_KEY_ENCRYPTION_PREVIOUS: 'vault' })).toThrow('LATCHKEY_VAULT_KEY is missing')
  const file = { LATCHKEY_KEY_ENCRYPTION: 'file', LATCHKEY_KEY_ENCRYPTION_PATH: '/key', LATCHKEY_MODE: 'development' }
  expect(read(file)).toMatchObject({ keyEncryption: { type: 'file', path: '/key' }, mode: 'development' })
  expect(() => read({ LATCHKEY_KEY_ENCRYPTION: 'kms', LATCHKEY_STEP_UP: 'no' })).toThrow(
    /LATCHKEY_KEY_ENCRYPTION must be secret or vault or aws-kms or gcp-kms or file[\s\S]*LATCHKEY_STEP_UP must be required or off/,
  )
})

test('sends commands to LATCHKEY_DATABASE_DIRECT_HOST', () => {
  const environment = { ...complete, LATCHKEY_DATABASE_DIRECT_HOST: 'db.example:5433' }
  expect(readConfig(environment).server).toMatchObject({
    databaseUrl: 'postgres://localhost/latchkey',
    databaseDirectHost: 'db.example:5433',
  })
  expect(readDatabaseUrl(environment)).toBe('postgres://db.example:5433/latchkey')
  expect(readCustodyTask(environment).databaseUrl).toBe('postgres://db.example:5433/latchkey')
})
