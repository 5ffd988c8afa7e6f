import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const read = (path: string) => readFileSync(join(root, 'deploy', path), 'utf8')

export const withDatabase = ['custody', 'signer-api', 'mail', 'gateway', 'webhooks', 'admin']
const frames = ['auth-frame', 'export-frame', 'import-frame']
export const roles = ['custody', 'signer-api', 'mail', 'gateway', 'webhooks', ...frames, 'admin', 'console']

export const readEnv = (path: string): Record<string, string> =>
  Object.fromEntries(
    read(path)
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )

/** Returns the names of the secret files in a role's settings. */
export const secretsOf = (role: string): string[] =>
  [...`${read('env/common.env')}${read(`env/${role}.env`)}`.matchAll(/=\/run\/secrets\/(.+)$/gm)].map(
    ([, name = '']) => name,
  )

export type Manifest = {
  kind: string
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> }
  spec: { template: { spec: PodSpec } }
  data?: Record<string, string>
}
export type PodSpec = {
  terminationGracePeriodSeconds: number
  automountServiceAccountToken: boolean
  securityContext: { runAsNonRoot: boolean }
  containers: {
    image: string
    envFrom: { configMapRef: { name: string } }[]
    securityContext: object
    readinessProbe: { httpGet: object }
    livenessProbe: { httpGet: object }
  }[]
  volumes: {
    secret?: { secretName: string; items?: { key: string }[] }
    configMap?: { name: string }
    projected?: { sources: { secret: { name: string; items: { key: string; path: string }[] } }[] }
  }[]
}

/** Modules of the types of each kind of object. */
export const kinds: Readonly<Record<string, string>> = {
  ConfigMap: 'core/v1',
  Deployment: 'apps/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  Ingress: 'networking/v1',
  Job: 'batch/v1',
  Namespace: 'core/v1',
  NetworkPolicy: 'networking/v1',
  PodDisruptionBudget: 'policy/v1',
  Service: 'core/v1',
}

/** Compiles objects against the types of Kubernetes. Throws with the compiler's output. */
export function checkTypes(name: string, objects: readonly Manifest[]): void {
  const lines = objects.map((value, index) => {
    const type = `import('kubernetes-types/${kinds[value.kind]}').${value.kind}`
    return `export const object${index}: ${type} = ${JSON.stringify(value)}`
  })
  // The types resolve only inside the repository.
  const home = join(root, '.cache/manifests')
  mkdirSync(home, { recursive: true })
  const file = join(home, `${name}.ts`)
  writeFileSync(file, lines.join('\n'))
  const modules = ['--module', 'esnext', '--moduleResolution', 'bundler']
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', ...modules, '--types', '']
  const typescript = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [typescript, ...options, file], { encoding: 'utf8', timeout: 100_000 })
}
