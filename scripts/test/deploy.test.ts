import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { createKeys } from '../../packages/server/src/cli/createKeys.ts'
import { readConfig } from '../../packages/server/src/cli/readConfig.ts'

/** The server's own code reads the settings of deploy/, with keys that it created. */
const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, 'deploy', path), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'latchkey-deploy-'))
afterAll(() => rmSync(folder, { recursive: true }))

const withDatabase = ['custody', 'signer-api', 'mail', 'gateway', 'webhooks', 'admin']
const frames = ['auth-frame', 'export-frame', 'import-frame']
const roles = ['custody', 'signer-api', 'mail', 'gateway', 'webhooks', ...frames, 'admin', 'console']
const secrets = join(folder, 'secrets')
createKeys(secrets)
for (const role of withDatabase)
  writeFileSync(join(secrets, `${role}-database-url`), `postgres://latchkey_${role}:p@db.example.com/latchkey`)
writeFileSync(join(secrets, 'smtp-url'), 'smtps://user:p@smtp.example.com')

const readEnv = (path: string): Record<string, string> =>
  Object.fromEntries(
    read(path)
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )

/** Folders of a container map to folders of this test. */
function environmentOf(role: string): Record<string, string> {
  const all = Object.entries({ ...readEnv('env/common.env'), ...readEnv(`env/${role}.env`) })
  return Object.fromEntries(
    all.map(([name, value]) => [
      name,
      value.replace('/run/secrets', secrets).replace('/etc/latchkey', join(root, 'deploy/kubernetes/files')),
    ]),
  )
}

const secretsOf = (role: string): string[] =>
  [...`${read('env/common.env')}${read(`env/${role}.env`)}`.matchAll(/=\/run\/secrets\/(.+)$/gm)].map(
    ([, name = '']) => name,
  )

test.each(roles)('starts %s in production with its settings', (role) => {
  const { server } = readConfig(environmentOf(role))
  expect(server.roles).toEqual([role.endsWith('-frame') ? 'frames' : role])
  if (role.endsWith('-frame')) expect(server.frames).toMatchObject({ page: role.replace('-frame', '') })
  // Every setting must be one that the server knows.
  const known = readFileSync(join(root, 'packages/server/src/cli/settings.ts'), 'utf8')
  for (const name of Object.keys(environmentOf(role))) expect(known).toContain(`${name.replace(/_FILE$/, '')}`)
})

test('refuses the example hosts and keys until they are replaced', () => {
  const copied = { ...environmentOf('custody'), LATCHKEY_CUSTODY_URL: 'http://custody.example.com' }
  expect(() => readConfig(copied)).toThrow('LATCHKEY_CUSTODY_URL is plain http')
  expect(() => readConfig({ ...environmentOf('custody'), LATCHKEY_KEY_ENCRYPTION_KEY_FILE: '/nowhere' })).toThrow()
})

type Service = {
  env_file?: string[]
  secrets?: string[]
  read_only?: boolean
  cap_drop?: string[]
  stop_grace_period?: string
  user?: string
}

test('runs each role with its own files and secrets alone in compose', () => {
  const compose = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, Service>
    secrets: Record<string, unknown>
  }
  const { postgres, migrate, ...servers } = compose.services
  expect(Object.keys(servers)).toEqual(roles)
  for (const [role, service] of Object.entries(servers)) {
    expect(service.env_file).toEqual(['env/common.env', `env/${role}.env`])
    expect([...(service.secrets ?? [])].sort()).toEqual(secretsOf(role).sort())
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
    expect(Number.parseInt(service.stop_grace_period ?? '', 10)).toBeGreaterThan(drainSeconds() + 30)
  }
  const used = new Set(Object.values(compose.services).flatMap(({ secrets: names = [] }) => names))
  expect(Object.keys(compose.secrets).sort()).toEqual([...used].sort())
  expect(postgres?.secrets).toEqual(['postgres-password'])
  expect(migrate?.secrets).toEqual(['owner-database-url'])
})

/** A replica waits this long by default until load balancers notice its end. */
function drainSeconds(): number {
  return readConfig(environmentOf('auth-frame')).drainSeconds
}

test('writes Kubernetes manifests that match the types', () => {
  const kinds: Record<string, string> = {
    Deployment: 'apps/v1',
    PodDisruptionBudget: 'policy/v1',
    Service: 'core/v1',
    Job: 'batch/v1',
    NetworkPolicy: 'networking/v1',
  }
  const files = readdirSync(join(root, 'deploy/kubernetes')).filter(
    (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml',
  )
  const lines = files.flatMap((name) =>
    parseAllDocuments(read(`kubernetes/${name}`)).map((document, index) => {
      const value = document.toJS() as { kind: string }
      const type = `import('kubernetes-types/${kinds[value.kind]}').${value.kind}`
      return `export const ${name.replace(/\W/g, '_')}_${index}: ${type} = ${JSON.stringify(value)}`
    }),
  )
  expect(lines.length).toBeGreaterThan(20)
  // The types resolve only inside the repository.
  const home = join(root, '.cache/manifests')
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'manifests.ts'), lines.join('\n'))
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
  ]
  const typescript = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [typescript, ...options, '--types', '', join(home, 'manifests.ts')], {
    encoding: 'utf8',
    timeout: 100_000,
  })
})

type Manifest = {
  kind: string
  metadata: { name: string }
  spec: { template: { spec: PodSpec } }
}
type PodSpec = {
  terminationGracePeriodSeconds: number
  automountServiceAccountToken: boolean
  securityContext: { runAsNonRoot: boolean }
  containers: {
    envFrom: { configMapRef: { name: string } }[]
    securityContext: object
    readinessProbe: { httpGet: object }
    livenessProbe: { httpGet: object }
  }[]
  volumes: { secret?: { secretName: string } }[]
}

test('deploys each role without privileges and with time to end', () => {
  const { resources, configMapGenerator } = parse(read('kubernetes/kustomization.yaml')) as {
    resources: string[]
    configMapGenerator: { name: string; envs?: string[]; files?: string[] }[]
  }
  expect(resources).toEqual([...roles.map((role) => `${role}.yaml`), 'network.yaml'])
  for (const path of configMapGenerator.flatMap(({ envs = [], files = [] }) => [...envs, ...files]))
    expect([path, existsSync(join(root, 'deploy/kubernetes', path))]).toEqual([path, true])
  for (const role of roles) {
    const documents = parseAllDocuments(read(`kubernetes/${role}.yaml`)).map((one) => one.toJS() as Manifest)
    expect(documents.map(({ kind }) => kind).slice(0, 2)).toEqual(['Deployment', 'PodDisruptionBudget'])
    expect(documents.some(({ kind }) => kind === 'Service')).toBe(role !== 'mail' && role !== 'webhooks')
    const pod = documents[0]?.spec.template.spec as PodSpec
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(drainSeconds() + 30)
    expect(pod).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } })
    expect(pod.volumes[0]?.secret?.secretName).toBe(`latchkey-${role}`)
    expect(pod.containers).toMatchObject([
      {
        envFrom: [{ configMapRef: { name: 'latchkey-common' } }, { configMapRef: { name: `latchkey-${role}` } }],
        securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
        // The kubelet would otherwise use the pod's address as Host, which `listen` refuses.
        readinessProbe: { httpGet: { path: '/readyz', httpHeaders: [{ name: 'Host', value: 'localhost' }] } },
        livenessProbe: { httpGet: { path: '/healthz', httpHeaders: [{ name: 'Host', value: 'localhost' }] } },
      },
    ])
  }
})

test('gives each systemd role its own files and secrets, and time to end', () => {
  const unit = read('systemd/latchkey@.service')
  expect([...unit.matchAll(/^EnvironmentFile=(.*)$/gm)].map(([, path]) => path)).toEqual([
    '/etc/latchkey/env/common.env',
    '/etc/latchkey/env/%i.env',
  ])
  expect(unit).toContain('BindReadOnlyPaths=/etc/latchkey/secrets/%i:/run/secrets')
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(drainSeconds() + 30)
  for (const setting of [
    'ProtectSystem=strict',
    'NoNewPrivileges=yes',
    'CapabilityBoundingSet=',
    'User=latchkey-%i',
    'SyslogIdentifier=latchkey-%i',
  ])
    expect(unit).toContain(`\n${setting}\n`)
})
