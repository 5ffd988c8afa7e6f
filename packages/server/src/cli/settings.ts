import { readFileSync } from 'node:fs'
import { type Address, isAddress } from 'viem'
import { z } from 'zod'
import { roles } from '../app/options.ts'
import { jwtAlgorithms } from '../platform/http/createJwtVerifier.ts'
import { parseUrl } from '../platform/http/parseUrl.ts'
import type { PolicyRulesInput } from '../store/ledger/policyRules.ts'
import { operatorsSchema } from './operatorsFile.ts'
import { projectSchema } from './projectSchema.ts'

/** Error messages are appended to the name of the setting. */
const text = z.string()
const url = text.refine((value) => parseUrl(value) !== undefined, ' is not a URL')
const ownUser = (role: string) =>
  `${role}: DATABASE_URL with a database user for this role, see \`latchkey-server grants\` (default: DATABASE_URL)`
const wholeNumber = text.regex(/^\d{1,15}$/, ' must be a whole number').transform(Number)
const list = text.transform((value) => value.split(',').map((item) => item.trim()))
const address = z.custom<Address>(
  (value) => typeof value === 'string' && isAddress(value, { strict: false }),
  ' must be an address, 0x and 40 hex digits',
)
const paymaster = z.union([
  address,
  z.strictObject({ kind: z.enum(['latchkey', 'verifying']), address }),
  z.strictObject({
    kind: z.literal('erc7677'),
    url: z.url({ protocol: /^https?$/ }),
    context: z.record(z.string(), z.unknown()).optional(),
  }),
])

/** Parses a line: an address, or a type and an address or URL, separated by a colon. */
const paymasterLine = text
  .transform((line): unknown => {
    const [, kind, rest] = /^(latchkey|verifying|erc7677):(.+)$/.exec(line) ?? []
    if (kind === undefined) return line
    return kind === 'erc7677' ? { kind, url: rest } : { kind, address: rest }
  })
  .pipe(z.custom<z.output<typeof paymaster>>((value) => paymaster.safeParse(value).success, paymasterForm()))

function paymasterForm(): string {
  return ' must be an address, 0x and 40 hex digits, or latchkey:0x…, verifying:0x… or erc7677:https://…'
}

const projects = jsonFile({
  schema: z.array(projectSchema),
  describe: (place) =>
    ` must hold a list of { id, name, apiKey, redirectUrls, allowedOrigins, … }${place && `; see ${place}`}`,
})

const policies = jsonFile({
  schema: z.array(
    z.strictObject({
      id: z.string().min(1).max(128),
      projectId: z.string().optional(),
      isDefault: z.boolean().optional(),
      paused: z.boolean().optional(),
      // Validated with the rest of the policy, which reports the invalid rule.
      rules: z.custom<PolicyRulesInput>((value) => typeof value === 'object' && value !== null).optional(),
    }),
  ),
  describe: (place) =>
    ` must hold a list of { id, projectId?, isDefault?, paused?, rules? }; see ${place || 'its start'}`,
})

const operators = jsonFile({
  schema: operatorsSchema,
  describe: (place) => ` must hold a list of { id, name, role, passkeys }; see ${place || 'its start'}`,
})

const jwtIssuers = jsonFile({
  schema: z.array(
    z.strictObject({
      projectId: z.string(),
      issuer: z.string().min(1),
      audience: z.string().min(1),
      algorithms: z.array(z.enum(jwtAlgorithms)).min(1),
      type: z.string().min(1).optional(),
      keys: z.union([
        z.strictObject({ jwks: z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })) }) }),
        z.strictObject({ file: z.string() }),
        z.strictObject({ url: z.url() }),
      ]),
    }),
  ),
  describe: (place) =>
    ` must hold a list of { projectId, issuer, audience, algorithms, keys }; see ${place || 'its start'}`,
})

const chains = jsonFile({
  schema: z
    .array(
      z.strictObject({
        chainId: z.number().int().positive(),
        names: z.array(z.string()).optional(),
        nodeUrls: z.array(z.url()).min(1),
        bundlerUrls: z.array(z.url()).min(1),
        paymasters: z
          .strictObject({
            '0.6.0': paymaster.optional(),
            '0.7.0': paymaster.optional(),
            '0.8.0': paymaster.optional(),
            '0.9.0': paymaster.optional(),
          })
          .optional(),
        nativeCurrency: z.strictObject({ name: z.string(), symbol: z.string(), decimals: z.number().int() }).optional(),
        maxCallGas: z.int().positive().transform(BigInt).optional(),
        maxGasAtOnce: z.int().positive().transform(BigInt).optional(),
        maxLogBlocks: z.int().positive().transform(BigInt).optional(),
        confirmations: z.int().min(0).max(10_000).optional(),
        pollMs: z.int().min(10).max(60_000).optional(),
        timeoutsMs: z
          .strictObject({ node: z.number().positive().optional(), bundler: z.number().positive().optional() })
          .optional(),
      }),
    )
    .min(1),
  describe: (place) =>
    ` must hold a list of { chainId, nodeUrls, bundlerUrls, paymasters?, names?, nativeCurrency?, maxCallGas?, maxGasAtOnce?, maxLogBlocks?, confirmations?, pollMs?, timeoutsMs? }; see ${place || 'its start'}`,
})

/** All environment variables of the command line: format, default, and the description that `--help` prints. */
export const settings = z.object({
  DATABASE_URL: text.describe(
    'PostgreSQL, such as postgres://user:password@host:5432/latchkey; TLS is required except on this machine or with ?sslmode=disable; not needed by frames and console',
  ),
  LATCHKEY_DATABASE_DIRECT_HOST: text
    .optional()
    .describe(
      'host:port of PostgreSQL itself, if the database URLs point to a pooler in transaction mode, such as PgBouncer',
    ),
  LATCHKEY_CUSTODY_DATABASE_URL: text.optional().describe(ownUser('custody')),
  LATCHKEY_SIGNER_API_DATABASE_URL: text.optional().describe(ownUser('signer-api')),
  LATCHKEY_MAIL_DATABASE_URL: text.optional().describe(ownUser('mail')),
  LATCHKEY_GATEWAY_DATABASE_URL: text.optional().describe(ownUser('gateway')),
  LATCHKEY_WEBHOOKS_DATABASE_URL: text.optional().describe(ownUser('webhooks')),
  LATCHKEY_ADMIN_DATABASE_URL: text.optional().describe(ownUser('admin')),
  LATCHKEY_ROLES: list
    // Admin API and console start only if listed: the admin API belongs on a separate network, and the console on a
    // separate origin.
    .default(roles.filter((role) => role !== 'admin' && role !== 'console'))
    .describe(
      'comma-separated: custody, signer-api, mail, gateway, webhooks, frames, admin, console (default: all but admin and console)',
    ),
  LATCHKEY_HOST: text.default('127.0.0.1').describe('address to listen on (default: 127.0.0.1)'),
  LATCHKEY_PORT: wholeNumber.default(8080).describe('port to listen on (default: 8080)'),
  LATCHKEY_ALLOWED_HOSTS: list
    .default([])
    .describe('comma-separated host names to accept in addition to loopback and the public URLs'),
  LATCHKEY_LOG_LEVEL: text.default('info').describe('fatal, error, warn, info or debug (default: info)'),
  LATCHKEY_DRAIN_SECONDS: wholeNumber
    .default(5)
    .describe('seconds between SIGTERM, when /readyz starts to answer 503, and closing the listener (default: 5)'),
  LATCHKEY_METRICS_PORT: wholeNumber
    .optional()
    .describe('separate port for GET /metrics in Prometheus text format (default: none)'),
  LATCHKEY_METRICS_HOST: text
    .default('127.0.0.1')
    .describe('address for the metrics port; must not be reachable by users (default: 127.0.0.1)'),
  LATCHKEY_ROOT_ORGANIZATION_ID: text.describe('UUID of the root organization, the parent of all users'),
  LATCHKEY_PROJECTS_FILE: projects
    .optional()
    .describe(
      'JSON file: list of { id, name, apiKey, redirectUrls, allowedOrigins, organizationId?, logoUrl?, … }, see docs/operate/projects.md; custody and frames trust only these',
    ),
  LATCHKEY_TRUSTED_PROXIES: wholeNumber
    .default(0)
    .describe('number of your own proxies in front of this server that append to X-Forwarded-For (default: 0)'),
  LATCHKEY_JWT_ISSUERS_FILE: jwtIssuers
    .optional()
    .describe(
      'signer-api and gateway: JSON file: list of { projectId, issuer, audience, algorithms, type?, keys: { jwks | file | url } } (optional)',
    ),
  LATCHKEY_CUSTODY_URL: url.describe('public URL of the custody API'),
  LATCHKEY_CUSTODY_INTERNAL_URL: text
    .optional()
    .describe('URL of the custody API for signer API and admin API (default: LATCHKEY_CUSTODY_URL)'),
  LATCHKEY_CUSTODY_TLS: choice(['required', 'off']).describe(
    'signer-api: required or off; off allows http for the custody URLs, on a private network (default: required)',
  ),
  LATCHKEY_ACCESS_TOKEN_KEY: wholeNumber
    .default(1)
    .describe('signer-api: number of the key that signs access tokens; raise it by 1 to rotate the key (default: 1)'),
  LATCHKEY_AUTH_FRAME_URL: url.describe('public URL of the auth frame, on its own origin'),
  LATCHKEY_EXPORT_FRAME_URL: url.describe('public URL of the export frame, on its own origin'),
  LATCHKEY_IMPORT_FRAME_URL: url.describe('public URL of the import frame, on its own origin'),
  LATCHKEY_GATEWAY_URL: url.optional().describe('public URL of the gateway, for predictions in reviews (optional)'),
  LATCHKEY_KEY_ENCRYPTION: choice(['secret', 'vault', 'aws-kms', 'gcp-kms', 'file']).describe(
    'custody: service that wraps the keys of all wallets: secret, vault, aws-kms, gcp-kms or file (default: secret)',
  ),
  LATCHKEY_KEY_ENCRYPTION_PREVIOUS: z
    .enum(['vault', 'aws-kms', 'gcp-kms'], ' must be vault, aws-kms or gcp-kms')
    .optional()
    .describe('custody: the previous key-encryption service, until rotate-keys has finished (optional)'),
  LATCHKEY_KEY_ENCRYPTION_KEY: text.describe(
    'custody, with secret: 32 bytes in hex; if they are lost, all wallets are lost',
  ),
  LATCHKEY_KEY_ENCRYPTION_PATH: text.describe('custody, with file: path of the key file; development only'),
  LATCHKEY_KEY_ENCRYPTION_PREVIOUS_KEYS: list
    .default([])
    .describe('custody: comma-separated previous secrets, until rotate-keys has finished'),
  LATCHKEY_VAULT_URL: url.describe('custody, with vault: URL such as https://vault.example:8200'),
  LATCHKEY_VAULT_AUTH: choice(['token', 'approle', 'kubernetes']).describe(
    'custody, with vault: token, or a login whose token is renewed: approle or kubernetes (default: token)',
  ),
  LATCHKEY_VAULT_TOKEN: text.describe('custody, with token: token that may encrypt, decrypt and read the key'),
  LATCHKEY_VAULT_ROLE_ID: text.describe('custody, with approle: role id'),
  LATCHKEY_VAULT_SECRET_ID: text.describe('custody, with approle: secret id'),
  LATCHKEY_VAULT_ROLE: text.describe('custody, with kubernetes: role that is bound to the service account'),
  LATCHKEY_VAULT_JWT_PATH: text
    .optional()
    .describe("custody, with kubernetes: file with the service account's token (default: where Kubernetes mounts it)"),
  LATCHKEY_VAULT_AUTH_MOUNT: text
    .optional()
    .describe('custody, with approle or kubernetes: mount path of the login (default: its name)'),
  LATCHKEY_VAULT_KEY: text.describe('custody, with vault: name of the transit key (aes256-gcm96)'),
  LATCHKEY_VAULT_MOUNT: text
    .optional()
    .describe('custody, with vault: mount path of the transit engine (default: transit)'),
  LATCHKEY_VAULT_NAMESPACE: text.optional().describe('custody, with vault: namespace (optional)'),
  LATCHKEY_AWS_KMS_KEY: text.describe('custody, with aws-kms: ARN, id or alias of a symmetric key'),
  LATCHKEY_AWS_REGION: text.describe('custody, with aws-kms: region, such as eu-central-1'),
  LATCHKEY_AWS_ACCESS_KEY_ID: text
    .optional()
    .describe(
      "custody, with aws-kms: access key that may encrypt and decrypt with the KMS key (default: the process's role, found as Amazon's SDK does)",
    ),
  LATCHKEY_AWS_SECRET_ACCESS_KEY: text.optional().describe('custody, with aws-kms: secret of that access key'),
  LATCHKEY_AWS_SESSION_TOKEN: text.optional().describe('custody, with aws-kms: session token (optional)'),
  LATCHKEY_AWS_KMS_URL: url
    .optional()
    .describe("custody, with aws-kms: https endpoint in your network (default: the region's public endpoint)"),
  LATCHKEY_GCP_KMS_KEY: text.describe(
    'custody, with gcp-kms: name of a symmetric key, projects/…/locations/…/keyRings/…/cryptoKeys/…',
  ),
  LATCHKEY_GCP_KMS_URL: url
    .optional()
    .describe('custody, with gcp-kms: https endpoint in your network (default: https://cloudkms.googleapis.com)'),
  LATCHKEY_MODE: choice(['production', 'development']).describe(
    'production or development; development allows a key in a file and applies no address limits to this machine (default: production)',
  ),
  LATCHKEY_STEP_UP: choice(['required', 'off']).describe(
    'custody: required or off; off allows sessions of any age to export keys and change credentials (default: required)',
  ),
  LATCHKEY_DELETION_GRACE_DAYS: wholeNumber
    .default(7)
    .describe(
      'custody: days before the keys of a deleted account are destroyed; until then the user can undo the deletion (default: 7)',
    ),
  LATCHKEY_MAIL_SEAL_KEY: text.describe(
    'custody and mail: 32 bytes in hex, with which custody encrypts emails for the mail role',
  ),
  LATCHKEY_BUNDLE_SIGNING_KEY: text
    .optional()
    .describe('custody: P-256 private key in hex that signs key exports (optional; without it, export is off)'),
  LATCHKEY_FRAMES_PAGE: choice(['auth', 'export', 'import'], ' must be auth, export or import').describe(
    'frames: the page that this server hosts: auth, export or import (default: auth)',
  ),
  LATCHKEY_BUNDLE_SIGNING_PUBLIC_KEY: text.describe(
    'frames: public key of LATCHKEY_BUNDLE_SIGNING_KEY, an uncompressed P-256 point in hex',
  ),
  LATCHKEY_ROOT_API_PUBLIC_KEY: text.describe(
    'custody and signer-api: public key of the root organization, a compressed P-256 point in hex',
  ),
  LATCHKEY_ROOT_API_PRIVATE_KEY: text.describe(
    'signer-api: private key of LATCHKEY_ROOT_API_PUBLIC_KEY, 32 bytes in hex',
  ),
  LATCHKEY_SMTP_URL: url.describe(
    'mail: smtp://user:password@host:port or smtps://…; TLS is required except on this machine or with ?requireTLS=false; ?ignoreTLS=true for a server on this machine with a self-signed certificate',
  ),
  LATCHKEY_MAIL_FROM: text.describe('mail: sender, such as Example <no-reply@example.com>'),
  LATCHKEY_CHAINS_FILE: chains
    .optional()
    .describe(
      'gateway, admin: JSON file: list of { chainId, nodeUrls, bundlerUrls, paymasters?: { 0.6.0?, 0.7.0?, 0.8.0?, 0.9.0? }, names?, nativeCurrency?, maxCallGas?, maxGasAtOnce?, maxLogBlocks?, confirmations?, pollMs?, timeoutsMs? }; replaces the next seven settings (optional)',
    ),
  LATCHKEY_NODE_URL: url.describe('gateway: JSON-RPC URL of the chain node'),
  LATCHKEY_BUNDLER_URL: url.describe('gateway: JSON-RPC URL of the ERC-4337 bundler'),
  LATCHKEY_CHAIN_ID: wholeNumber.describe('gateway: chain id'),
  LATCHKEY_PAYMASTER_06: paymasterLine
    .optional()
    .describe(
      'gateway: paymaster for EntryPoint 0.6: latchkey:ADDRESS (Latchkey contract), verifying:ADDRESS or ADDRESS (sample contract), or erc7677:URL (a service) (optional)',
    ),
  LATCHKEY_PAYMASTER_07: paymasterLine
    .optional()
    .describe('gateway: paymaster for EntryPoint 0.7, in the same format (optional)'),
  LATCHKEY_PAYMASTER_08: paymasterLine
    .optional()
    .describe('gateway: paymaster for EntryPoint 0.8: latchkey:ADDRESS or erc7677:URL (optional)'),
  LATCHKEY_PAYMASTER_09: paymasterLine
    .optional()
    .describe('gateway: paymaster for EntryPoint 0.9, in the same format (optional)'),
  LATCHKEY_PAYMASTER_KEY: text
    .optional()
    .describe('gateway: signing key of the paymasters, 32 bytes in hex (or set LATCHKEY_PAYMASTER_WRAPPED_KEY)'),
  LATCHKEY_PAYMASTER_WRAPPED_KEY: text
    .optional()
    .describe('gateway: the same key as printed by wrap-paymaster-key; unwrapped by LATCHKEY_KEY_ENCRYPTION'),
  LATCHKEY_POLICIES_FILE: policies
    .optional()
    .describe(
      'gateway: JSON file: list of { id, projectId?, isDefault?, paused?, rules? }; without it, nothing is sponsored',
    ),
  LATCHKEY_WEBHOOK_KEY: text
    .optional()
    .describe('gateway: 32 bytes in hex from which the secrets of policy webhooks are derived (optional)'),
  LATCHKEY_EVENT_DAYS: wholeNumber.default(7).describe('gateway: days to keep the events of operations (default: 7)'),
  LATCHKEY_OPERATION_DAYS: wholeNumber
    .default(365)
    .describe('gateway: days to keep a finished operation in the log (default: 365)'),
  LATCHKEY_OPERATOR_KEY: text.describe(
    'admin, and the operators commands: 32 bytes in hex that authenticate operator keys and the operator log',
  ),
  LATCHKEY_CONSOLE_URL: url
    .optional()
    .describe('console, admin and custody: public URL of the console, on its own origin (optional)'),
  LATCHKEY_OPERATORS_FILE: operators
    .optional()
    .describe(
      'admin and custody: JSON file of console users, written by `operators accept`: list of { id, name, role, passkeys } (optional)',
    ),
  LATCHKEY_ADMIN_URL: url.describe('console: URL of the admin API; https, except on this machine'),
  LATCHKEY_DNS_SERVERS: list
    .default([])
    .describe('doctor: comma-separated resolvers, such as 9.9.9.9 or 127.0.0.1:53 (default: those of this machine)'),
  LATCHKEY_DKIM_SELECTORS: list
    .default([])
    .describe("doctor: comma-separated DKIM selectors of the sender's domain, from your email provider"),
})

/** Accepts one of the given values. The first is the default. */
function choice<const values extends readonly [string, ...string[]]>(
  values: values,
  message = ` must be ${values.join(' or ')}`,
) {
  return z.enum(values, message).default(values[0])
}

function jsonFile<content>({ schema, describe }: { schema: z.ZodType<content>; describe(place: string): string }) {
  return text.transform((path, context): content => {
    let value: unknown
    try {
      value = JSON.parse(readFileSync(path, 'utf8'))
    } catch {
      context.addIssue(`: ${path} cannot be read as JSON`)
      return z.NEVER
    }
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    context.addIssue(describe(parsed.error.issues[0]?.path.join('.') ?? ''))
    return z.NEVER
  })
}
