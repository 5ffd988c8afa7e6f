import type { ServerOptions } from '../app/options.ts'
import { isKnownKey } from '../keys/isKnownKey.ts'
import { parseUrl } from '../platform/http/parseUrl.ts'
import { hasCostLimit } from '../store/ledger/policyRules.ts'
import type { Reader } from './createReader.ts'

/** Configuration to check. LATCHKEY_MODE sets the mode. */
type Server = {
  [name in 'custody' | 'mail' | 'signerApi' | 'gateway' | 'admin' | 'console' | 'projects' | 'jwt' | 'urls']?:
    | ServerOptions[name]
    | undefined
}

/**
 * Reports settings that only development allows: known keys, a key in a file, URLs without TLS, wildcard origins, and
 * gas policies without a cost limit. Loopback is no exception: use development mode. Messages contain the names of
 * settings, never the values of keys.
 */
export function refuseInProduction(reader: Pick<Reader, 'report'>, server: Server): void {
  for (const [name, key] of listKeys(server))
    if (key !== undefined && isKnownKey(key))
      reader.report(`${name} is a test key that others know: make your own with \`latchkey-server keys create\``)
  if (server.custody?.keyEncryption.type === 'file')
    reader.report(
      'LATCHKEY_KEY_ENCRYPTION is file, which is for development only: take secret, vault, aws-kms or gcp-kms',
    )
  for (const [name, url] of Object.entries(publicUrls))
    if (isPlain(server.urls?.[name as keyof typeof publicUrls]))
      reader.report(`${url} is plain http: browsers send secrets there, give it TLS and an https URL`)
  if (isPlain(server.console?.url))
    reader.report('LATCHKEY_CONSOLE_URL is plain http: passkeys and sessions of operators need TLS, give an https URL')
  for (const [index, project] of (server.projects ?? []).entries()) refuseProject(reader, project, index)
  for (const { id, rules } of server.gateway?.policies ?? [])
    if (!hasCostLimit(rules))
      reader.report(
        `LATCHKEY_POLICIES_FILE: gas policy ${id} has no cost limit, and anyone may request sponsorship: set rules.limits.policy.day.cost in wei`,
      )
  for (const { issuer, keys } of server.jwt ?? [])
    if ('url' in keys && isPlain(keys.url))
      reader.report(`LATCHKEY_JWT_ISSUERS_FILE: the keys of ${issuer} come by plain http: give an https URL`)
}

const publicUrls = {
  custody: 'LATCHKEY_CUSTODY_URL',
  authFrame: 'LATCHKEY_AUTH_FRAME_URL',
  exportFrame: 'LATCHKEY_EXPORT_FRAME_URL',
  importFrame: 'LATCHKEY_IMPORT_FRAME_URL',
  gateway: 'LATCHKEY_GATEWAY_URL',
} as const satisfies Record<keyof ServerOptions['urls'], string>

/**
 * Lists every secret key of the configuration. Omits previous key-encryption keys, since `rotate-keys` needs them to
 * replace a well-known key.
 */
function listKeys({ custody, mail, signerApi, gateway, admin }: Server): [name: string, key: string | undefined][] {
  const paymasterKey = gateway?.paymasterKey
  const isSecret = typeof paymasterKey === 'object' && paymasterKey.type === 'secret'
  return [
    ['LATCHKEY_KEY_ENCRYPTION_KEY', custody?.keyEncryption.type === 'local' ? custody.keyEncryption.key : undefined],
    ['LATCHKEY_MAIL_SEAL_KEY', custody?.mailSealKey],
    ['LATCHKEY_MAIL_SEAL_KEY', mail?.sealKey],
    ['LATCHKEY_BUNDLE_SIGNING_KEY', custody?.bundleSigningKey],
    ['LATCHKEY_ROOT_API_PRIVATE_KEY', signerApi?.apiKey.privateKey],
    ['LATCHKEY_PAYMASTER_KEY', isSecret ? paymasterKey.key : undefined],
    ['LATCHKEY_WEBHOOK_KEY', gateway?.webhookKey],
    ['LATCHKEY_OPERATOR_KEY', admin?.operatorKey],
  ]
}

type Project = NonNullable<ServerOptions['projects']>[number]

function refuseProject(reader: Pick<Reader, 'report'>, project: Project, index: number): void {
  const where = `LATCHKEY_PROJECTS_FILE: project ${index + 1} (${project.id})`
  for (const origin of project.allowedOrigins)
    if (origin.includes('*')) reader.report(`${where} allows the origin ${origin}: name each origin in full`)
  for (const url of [...project.allowedOrigins, ...project.redirectUrls, project.logoUrl])
    if (isPlain(url))
      reader.report(`${where} names ${url}, which is plain http: give https, or develop on a server of its own`)
  for (const { id, url } of project.webhooks ?? [])
    if (isPlain(url)) reader.report(`${where} has a webhook (${id}) that is plain http: give it an https URL`)
}

function isPlain(url: string | undefined): boolean {
  return url !== undefined && parseUrl(url)?.protocol === 'http:'
}
