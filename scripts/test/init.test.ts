import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { run } from '../../packages/server/src/cli/run.ts'
import { type Manifest, read, readEnv, roles, root, secretsOf } from './deployFiles.ts'
import { unpackHelm } from './unpackHelm.ts'

/** Compares the files that `latchkey-server init` writes with those in deploy/. */
const folder = mkdtempSync(join(tmpdir(), 'latchkey-init-files-'))
afterAll(() => rmSync(folder, { recursive: true }))

const elsewhere = ['--smtp', 'smtps://user:p@smtp.example.com', '--name', 'Example']

async function init(target: string, ...more: string[]): Promise<string> {
  const out = mkdtempSync(join(folder, `${target}-`))
  const chain = ['--chain', '11155111,https://node.example.com,https://bundler.example.com']
  const errors: string[] = []
  const code = await run({
    arguments: ['init', '--for', target, '--domain', 'example.com', ...chain, ...more, '--out', out],
    environment: { LATCHKEY_VAULT_TOKEN: 'token' },
    print: () => undefined,
    printError: (text) => errors.push(text),
    stop: new AbortController().signal,
  })
  expect([code, errors]).toEqual([0, []])
  return out
}

const toSettings = (text: string) =>
  Object.fromEntries(
    text
      .trim()
      .split('\n')
      .map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]),
  )

test('writes the settings and secrets that deploy/compose.yaml mounts', async () => {
  const out = await init('compose', ...elsewhere)
  for (const role of ['common', ...roles]) {
    const {
      LATCHKEY_ROOT_ORGANIZATION_ID: _,
      LATCHKEY_POLICIES_FILE: policies,
      ...written
    } = toSettings(readFileSync(join(out, `env/${role}.env`), 'utf8'))
    const { LATCHKEY_ROOT_ORGANIZATION_ID_FILE: _id, ...example } = readEnv(`env/${role}.env`)
    expect([role, written]).toEqual([role, example])
    expect(policies).toBe(role === 'gateway' ? '/etc/latchkey/policies.json' : undefined)
  }
  const names = [...roles.flatMap(secretsOf), 'owner-database-url', 'postgres-password']
  for (const name of names) expect(existsSync(join(out, 'secrets', name)), name).toBe(true)
  for (const name of ['projects', 'chains', 'policies', 'operators'])
    expect(existsSync(join(out, `config/${name}.json`))).toBe(true)
})

type Override = { services: Record<string, { profiles?: string[]; secrets?: string[] }>; secrets?: object }

test('leaves out of compose what is elsewhere', async () => {
  const database = ['--database', 'postgres://owner:p@db.example.com/latchkey']
  const keys = ['--keys', 'vault:https://vault.example.com:8200/wallets']
  const out = await init('compose', ...elsewhere, ...database, ...keys)
  const { services, secrets } = parse(readFileSync(join(out, 'compose.override.yaml'), 'utf8'), {
    customTags: ['!reset', '!override'].flatMap((tag) => [
      { tag, collection: 'map' as const, resolve: (value: unknown) => value },
      { tag, collection: 'seq' as const, resolve: (value: unknown) => value },
    ]),
  }) as Override
  expect(services.postgres).toEqual({ profiles: ['unused'] })
  expect(services.custody?.secrets).toContain('LATCHKEY_VAULT_TOKEN')
  expect(services.custody?.secrets).not.toContain('LATCHKEY_KEY_ENCRYPTION_KEY')
  expect(secrets).toEqual({ LATCHKEY_VAULT_TOKEN: { file: './secrets/LATCHKEY_VAULT_TOKEN' } })
})

test.each([
  ['secret', []],
  ['vault:https://vault.example.com:8200/wallets', ['LATCHKEY_VAULT_TOKEN']],
])('writes values and secrets for the chart, with keys in %s', async (service, more) => {
  const helm = unpackHelm(mkdtempSync(join(folder, 'helm-')))
  const database = ['--database', 'postgres://owner:p@db.example.com/latchkey']
  const out = await init('helm', ...elsewhere, ...database, '--keys', service)
  const chart = join(root, 'deploy/helm/latchkey')
  const words = ['template', 'latchkey', chart, '--namespace', 'latchkey', '--values', join(out, 'values.yaml')]
  const objects = parseAllDocuments(execFileSync(helm, words, { encoding: 'utf8' })).map(
    (document) => document.toJS() as Manifest | null,
  )
  for (const role of roles) {
    const pod = objects.find((one) => one?.kind === 'Deployment' && one.metadata.name === `latchkey-${role}`)
    const sources = pod?.spec.template.spec.volumes[0]?.projected?.sources ?? []
    const items = sources.flatMap(({ secret }) => secret.items.map(({ key }) => [secret.name.slice(9), key] as const))
    for (const [kind, key] of items) expect(existsSync(join(out, 'secrets', kind, key)), key).toBe(true)
    if (role === 'custody') expect(items.map(([, key]) => key)).toEqual(expect.arrayContaining(more))
  }
  const settings = objects.find((one) => one?.kind === 'ConfigMap' && one.metadata.name === 'latchkey-custody')?.data
  expect(settings).toMatchObject({ LATCHKEY_KEY_ENCRYPTION: service.split(':')[0] })
})

test('confines the units as deploy/systemd does', async () => {
  const out = await init('systemd')
  const unit = readFileSync(join(out, 'systemd/latchkey@.service'), 'utf8')
  const places = /^(?:ExecStart|EnvironmentFile|BindReadOnlyPaths|InaccessiblePaths|After)=/
  const lines = read('systemd/latchkey@.service')
    .split('\n')
    .filter((line) => /^\w+=/.test(line) && !places.test(line))
  for (const line of lines) expect(unit).toContain(`\n${line}\n`)
  expect(unit).toContain(`\nTemporaryFileSystem=${out}/secrets:ro\nBindReadOnlyPaths=${out}/secrets/%i\n`)
  const users = [...readFileSync(join(out, 'systemd/latchkey.sysusers.conf'), 'utf8').matchAll(/^u latchkey-(\S+) /gm)]
  expect(users.map(([, role]) => role).sort()).toEqual([...roles].sort())
  for (const script of ['run.sh', 'systemd/install.sh']) execFileSync('sh', ['-n', join(out, script)])
})
