import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from './readConfig.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-production-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const key = () => randomBytes(32).toString('hex')
const project = {
  id: 'app',
  name: 'App',
  apiKey: 'key-of-app',
  redirectUrls: ['https://app.example/'],
  allowedOrigins: ['https://app.example'],
}
const safe = {
  DATABASE_URL: 'postgres://localhost/latchkey',
  LATCHKEY_ROLES: 'custody,signer-api,mail,gateway,frames,admin',
  LATCHKEY_ROOT_ORGANIZATION_ID: '11111111-2222-4333-8444-555555555555',
  LATCHKEY_CUSTODY_URL: 'https://custody.example',
  LATCHKEY_AUTH_FRAME_URL: 'https://auth.example',
  LATCHKEY_EXPORT_FRAME_URL: 'https://export.example',
  LATCHKEY_IMPORT_FRAME_URL: 'https://import.example',
  LATCHKEY_KEY_ENCRYPTION_KEY: key(),
  LATCHKEY_MAIL_SEAL_KEY: key(),
  LATCHKEY_BUNDLE_SIGNING_KEY: key(),
  LATCHKEY_ROOT_API_PUBLIC_KEY: '02',
  LATCHKEY_ROOT_API_PRIVATE_KEY: key(),
  LATCHKEY_SMTP_URL: 'smtp://localhost:25',
  LATCHKEY_MAIL_FROM: 'a@b.example',
  // Browsers never see these URLs, which are inside the operator's network.
  LATCHKEY_NODE_URL: 'http://node:8545',
  LATCHKEY_BUNDLER_URL: 'http://bundler:4337',
  LATCHKEY_CHAIN_ID: '10',
  LATCHKEY_PAYMASTER_KEY: key(),
  LATCHKEY_WEBHOOK_KEY: key(),
  LATCHKEY_OPERATOR_KEY: key(),
  LATCHKEY_PROJECTS_FILE: file('projects.json', [project]),
}

function file(name: string, content: object): string {
  const path = join(folder, name)
  writeFileSync(path, JSON.stringify(content))
  return path
}

function problems(changes: Record<string, string>): string[] {
  try {
    readConfig({ ...safe, ...changes })
    return []
  } catch (error) {
    return (error as Error).message.split('\n').slice(1)
  }
}

test('accepts a production configuration', () => {
  expect(problems({})).toEqual([])
})

test('names each well-known key by its setting, without its value', () => {
  for (const name of [
    'LATCHKEY_KEY_ENCRYPTION_KEY',
    'LATCHKEY_MAIL_SEAL_KEY',
    'LATCHKEY_BUNDLE_SIGNING_KEY',
    'LATCHKEY_ROOT_API_PRIVATE_KEY',
    'LATCHKEY_PAYMASTER_KEY',
    'LATCHKEY_WEBHOOK_KEY',
    'LATCHKEY_OPERATOR_KEY',
  ]) {
    const found = problems({ [name]: 'ab'.repeat(32) })
    expect(found, name).toEqual([
      `  - ${name} is a test key that others know: make your own with \`latchkey-server keys create\``,
    ])
    expect(problems({ [name]: 'ab'.repeat(32), LATCHKEY_MODE: 'development' })).toEqual([])
  }
})

test('refuses a gas policy without a cost limit', () => {
  const limits = { policy: { day: { cost: '500000000000000000' } } }
  const settings = (policy: object) => ({
    LATCHKEY_POLICIES_FILE: file('policies.json', [{ id: 'default', ...policy }]),
  })
  expect(problems(settings({ rules: { limits } }))).toEqual([])
  expect(problems(settings({ rules: { limits: { policy: { total: { cost: '1' } } } } }))).toEqual([])
  for (const policy of [{}, { rules: {} }, { rules: { limits: { policy: { day: { count: 5 } } } } }]) {
    expect(problems(settings(policy))).toEqual([
      '  - LATCHKEY_POLICIES_FILE: gas policy default has no cost limit, and anyone may request sponsorship: set rules.limits.policy.day.cost in wei',
    ])
    expect(problems({ ...settings(policy), LATCHKEY_MODE: 'development' })).toEqual([])
  }
})

test('reports wildcards, plain http and a key file in one message', () => {
  const named = { projectId: 'app', issuer: 'id', audience: 'a' }
  const issuer = { ...named, algorithms: ['ES256'], keys: { url: 'http://id.example' } }
  const changes = {
    LATCHKEY_PROJECTS_FILE: file('wrong.json', [
      project,
      { ...project, id: 'b', allowedOrigins: ['https://*.example'], redirectUrls: ['http://localhost:3000/'] },
      { ...project, id: 'c', allowedOrigins: ['*', 'http://app.example'], logoUrl: 'http://app.example/a.png' },
    ]),
    LATCHKEY_JWT_ISSUERS_FILE: file('issuers.json', [issuer]),
    LATCHKEY_KEY_ENCRYPTION: 'file',
    LATCHKEY_KEY_ENCRYPTION_PATH: join(folder, 'key'),
    LATCHKEY_OPERATOR_KEY: '11'.repeat(32),
    LATCHKEY_PORT: 'eighty',
  }
  expect(problems(changes)).toEqual(
    [
      /LATCHKEY_PORT must be a whole number/,
      /LATCHKEY_OPERATOR_KEY is a test key/,
      /LATCHKEY_KEY_ENCRYPTION is file, which is for development only/,
      /project 2 \(b\) allows the origin https:\/\/\*\.example: name each origin in full/,
      /project 2 \(b\) names http:\/\/localhost:3000\/, which is plain http/,
      /project 3 \(c\) allows the origin \*/,
      /project 3 \(c\) names http:\/\/app\.example, which/,
      /project 3 \(c\) names http:\/\/app\.example\/a\.png/,
      /the keys of id come by plain http/,
    ].map((pattern) => expect.stringMatching(pattern)),
  )
  const { LATCHKEY_PORT: _port, ...rest } = changes
  expect(problems({ ...rest, LATCHKEY_MODE: 'development' })).toEqual([])
})
