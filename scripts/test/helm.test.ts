import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { checkTypes, type Manifest, read, readEnv, roles, root, secretsOf, withDatabase } from './deployFiles.ts'
import { unpackHelm } from './unpackHelm.ts'

/** Renders the chart with Helm and compares it with the files that compose, systemd and Kustomize use. */

const folder = mkdtempSync(join(tmpdir(), 'latchkey-helm-'))
afterAll(() => rmSync(folder, { recursive: true }))

let helm = 'helm'
beforeAll(() => {
  helm = unpackHelm(folder)
})

const example = join(root, 'deploy/helm/examples/values.yaml')
const chart = join(root, 'deploy/helm/latchkey')

function render(...options: string[]): Manifest[] {
  const words = ['template', 'latchkey', chart, '--namespace', 'latchkey', '--values', example, ...options]
  const printed = execFileSync(helm, words, { encoding: 'utf8', stdio: 'pipe' })
  return parseAllDocuments(printed)
    .map((document) => document.toJS() as Manifest | null)
    .filter((one) => one !== null)
}
const find = (objects: readonly Manifest[], kind: string, role: string) =>
  objects.find((one) => one.kind === kind && one.metadata.name === `latchkey-${role}`)

test('passes Helm’s lint, and names each value that is missing', () => {
  execFileSync(helm, ['lint', '--strict', chart, '--values', example], { stdio: 'pipe' })
  const bare = () => execFileSync(helm, ['template', 'latchkey', chart], { encoding: 'utf8', stdio: 'pipe' })
  for (const name of ['image.repository', 'hosts.custody', 'hosts.admin', 'mail.from']) expect(bare).toThrow(name)
  for (const [given, problem] of [
    ['hosts.custody=https://custody.example.com', 'hosts.custody'],
    ['hosts.costudy=custody.example.com', 'costudy is not allowed'],
    ['roles.mail.replicas=0', 'roles.mail.replicas'],
    ['roles.relay.replicas=1', 'relay is not allowed'],
    ['settings.LATCHKEY_LOG_LEVEL=1', 'settings.LATCHKEY_LOG_LEVEL'],
    ['settings.PORT=x', 'PORT'],
  ] as const)
    expect(() => render('--set', given), given).toThrow(problem)
})

test('gives each role the settings, secrets and pods of the other files', () => {
  const objects = render()
  for (const role of roles) {
    const settings = find(objects, 'ConfigMap', role)?.data
    expect([role, settings]).toEqual([role, { ...readEnv('env/common.env'), ...readEnv(`env/${role}.env`) }])
    const pod = find(objects, 'Deployment', role)?.spec.template.spec
    const sources = pod?.volumes[0]?.projected?.sources ?? []
    const files = sources.flatMap(({ secret }) => secret.items.map(({ path }) => path))
    expect([role, files.sort()]).toEqual([role, secretsOf(role).sort()])
    const database = sources.find(({ secret }) => secret.name === 'latchkey-database')
    expect([role, database?.secret.items.length]).toEqual([role, withDatabase.includes(role) ? 1 : undefined])
    const documents = parseAllDocuments(read(`kubernetes/${role}.yaml`)).map((one) => one.toJS() as Manifest)
    const plain = documents.find(({ kind }) => kind === 'Deployment')?.spec.template.spec
    // Ignores the namespaces of release/ and the names of the release.
    const comparable = (spec: typeof pod) => {
      const {
        volumes: _,
        containers = [],
        ...rest
      } = JSON.parse(JSON.stringify(spec).replaceAll(instance, '')) as PodLike
      const [{ image: _image, envFrom: _env, imagePullPolicy: _policy, ...container } = {}] = containers
      return { ...rest, container }
    }
    expect([role, comparable(pod)]).toEqual([role, comparable(plain)])
    expect(find(objects, 'PodDisruptionBudget', role)).toBeDefined()
    expect(find(objects, 'Service', role) !== undefined).toBe(role !== 'mail' && role !== 'webhooks')
  }
  const given = find(objects, 'ConfigMap', 'files')?.data ?? {}
  for (const name of ['projects.json', 'chains.json', 'operators.json'])
    expect(JSON.parse(given[name] ?? '')).toEqual(JSON.parse(read(`kubernetes/files/${name}`)))
})

const instance = ',"app.kubernetes.io/instance":"latchkey"'
type PodLike = { volumes: unknown; containers: Record<string, unknown>[] }

test('migrates before the pods of a release, as the owner of the tables', () => {
  const job = find(render(), 'Job', 'migrate')
  expect(job?.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' })
  expect(job?.spec.template.spec.volumes).toMatchObject([
    { secret: { secretName: 'latchkey-database', items: [{ key: 'owner-database-url' }] } },
  ])
})

test('builds objects that match the types, with every option', () => {
  const options = [
    ['monitoring.podMonitor', 'true'],
    ['roles.custody.autoscaling.maxReplicas', '6'],
    ['networkPolicy.databaseCidr', '10.1.2.3/32'],
    ['image.pullSecrets[0]', 'registry'],
    ['ingress.public.annotations.a', 'b'],
    ['files.existingConfigMap', 'ours'],
    ['roles.webhooks.secretFiles[0]', 'LATCHKEY_WEBHOOK_SECRET_APP'],
    ['roles.custody.settings.LATCHKEY_KEY_ENCRYPTION', 'aws-kms'],
    ['roles.custody.settings.LATCHKEY_KEY_ENCRYPTION_KEY_FILE', ''],
    ['settings.LATCHKEY_LOG_LEVEL', 'info'],
  ]
  const objects = render(...options.flatMap(([name, value]) => ['--set', `${name}=${value}`]))
  const isMonitor = ({ kind }: Manifest) => kind === 'PodMonitor'
  expect(objects.filter(isMonitor)).toHaveLength(1)
  checkTypes(
    'chart',
    objects.filter((one) => !isMonitor(one)),
  )
  checkTypes('chartDefaults', render())
  const settings = find(objects, 'ConfigMap', 'custody')?.data
  expect(settings).toMatchObject({ LATCHKEY_KEY_ENCRYPTION: 'aws-kms', LATCHKEY_LOG_LEVEL: 'info' })
  const filesOf = (role: string) => JSON.stringify(find(objects, 'Deployment', role)?.spec.template.spec.volumes[0])
  expect(filesOf('custody')).not.toContain('LATCHKEY_KEY_ENCRYPTION_KEY')
  expect(filesOf('webhooks')).toContain('LATCHKEY_WEBHOOK_SECRET_APP')
  expect(find(objects, 'ConfigMap', 'files')).toBeUndefined()
  expect(find(objects, 'Deployment', 'custody')?.spec).not.toHaveProperty('replicas')
})

test('lets each role send and receive what the other files do', () => {
  const withoutNames = (documents: readonly Manifest[]) =>
    documents
      .filter(({ kind }) => kind === 'NetworkPolicy')
      .map(({ metadata: { name }, spec }) => ({
        name: name.replace(/^latchkey-?/, ''),
        spec: JSON.stringify(spec)
          .replaceAll(instance, '')
          // The chart uses a label selector where the plain files use an expression.
          .replaceAll('{"key":"app","operator":"In","values":["latchkey"]},', ''),
      }))
      .map(({ name, spec }) => ({
        name,
        spec: spec.replaceAll('"matchLabels":{"app":"latchkey"},"matchExpressions"', '"matchExpressions"'),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  const plain = parseAllDocuments(read('kubernetes/network.yaml')).map((one) => one.toJS() as Manifest)
  expect(withoutNames(render())).toEqual(withoutNames(plain))
})
