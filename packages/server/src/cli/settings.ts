import { readFileSync } from 'node:fs'
import { webhookTypes } from 'latchkey-protocol'
import { type Address, isAddress } from 'viem'
import { z } from 'zod'
import { roles } from '../app/options.ts'
import { jwtAlgorithms } from '../platform/http/createJwtVerifier.ts'
import { parseUrl } from '../platform/http/parseUrl.ts'
import type { PolicyRulesInput } from '../store/ledger/policyRules.ts'
import { operatorsSchema } from './operatorsFile.ts'

/** Messages continue the setting's name. */
const text = z.string()
const url = text.refine((value) => parseUrl(value) !== undefined, ' is not a URL')
const ownUser = (role: string) =>
  `${role}: the same as a user of its own, see \`latchkey-server grants\` (default: DATABASE_URL)`
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

/** One line: an address, or the kind, a colon and the address or URL. */
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

/** A project of the projects file. */
export const projectSchema = z.object({
  id: z.string(),
  name: z.string(),
  apiKey: z.string(),
  redirectUrls: z.array(z.string()),
  allowedOrigins: z.array(z.string()),
  organizationId: z.string().optional(),
  logoUrl: z.string().optional(),
  hidesAccounts: z.boolean().optional(),
  codes: z.enum(['nine-digits', 'six-digits']).optional(),
  parentCredentials: z.enum(['refused', 'allowed']).optional(),
  linkSeconds: z.int().optional(),
  redirectParams: z.array(z.string()).optional(),
  unboundQueries: z.enum(['brief', 'always']).optional(),
  confirmations: z.enum(['mail', 'none']).optional(),
  withoutAddress: z.enum(['passkey', 'address-first']).optional(),
  movesIn: z.enum(['refused', 'allowed']).optional(),
  frameSigning: z.enum(['off', 'on']).optional(),
  signerCodes: z.enum(['refused', 'allowed', 'preferred']).optional(),
  rpId: z.string().optional(),
  webhooks: z
    .array(
      z.strictObject({
        id: z.string(),
        url: z.string(),
        events: z.array(z.enum(webhookTypes)),
        secret: z.string(),
        previousSecret: z.string().optional(),
      }),
    )
    .optional(),
})

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
      // Validated with the rest of the policy, which names the wrong rule.
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
        paymasters: z.strictObject({ '0.6.0': paymaster.optional(), '0.7.0': paymaster.optional() }).optional(),
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

/** All environment variables of the command line: format, default and, as printed by `--help`, meaning. */
export const settings = z.object({
  DATABASE_URL: text.describe(
    'PostgreSQL, such as postgres://user:password@host:5432/latchkey; TLS is a must, but for this machine or ?sslmode=disable; not for frames and console',
  ),
  LATCHKEY_DATABASE_DIRECT_HOST: text
    .optional()
    .describe(
      'host:port of PostgreSQL itself, where the database URLs lead to a pooler in transaction mode, such as PgBouncer',
    ),
  LATCHKEY_CUSTODY_DATABASE_URL: text.optional().describe(ownUser('custody')),
  LATCHKEY_SIGNER_API_DATABASE_URL: text.optional().describe(ownUser('signer-api')),
  LATCHKEY_MAIL_DATABASE_URL: text.optional().describe(ownUser('mail')),
  LATCHKEY_GATEWAY_DATABASE_URL: text.optional().describe(ownUser('gateway')),
  LATCHKEY_WEBHOOKS_DATABASE_URL: text.optional().describe(ownUser('webhooks')),
  LATCHKEY_ADMIN_DATABASE_URL: text.optional().describe(ownUser('admin')),
  LATCHKEY_ROLES: list
    // Started only if named: the admin API belongs on a separate network, the console on a separate origin.
    .default(roles.filter((role) => role !== 'admin' && role !== 'console'))
    .describe(
      'comma-separated: custody, signer-api, mail, gateway, webhooks, frames, admin, console (default: all but admin and console)',
    ),
  LATCHKEY_HOST: text.default('127.0.0.1').describe('address to listen on (default: 127.0.0.1)'),
  LATCHKEY_PORT: wholeNumber.default(8080).describe('port to listen on (default: 8080)'),
  LATCHKEY_ALLOWED_HOSTS: list
    .default([])
    .describe('comma-separated host names accepted besides loopback and the public URLs'),
  LATCHKEY_LOG_LEVEL: text.default('info').describe('fatal, error, warn, info or debug (default: info)'),
  LATCHKEY_DRAIN_SECONDS: wholeNumber
    .default(5)
    .describe('seconds from SIGTERM, when /readyz turns to 503, until no more connections are taken (default: 5)'),
  LATCHKEY_METRICS_PORT: wholeNumber
    .optional()
    .describe('port of its own for GET /metrics, in the text format of Prometheus (default: none)'),
  LATCHKEY_METRICS_HOST: text
    .default('127.0.0.1')
    .describe('address for it; never one that users reach (default: 127.0.0.1)'),
  LATCHKEY_ROOT_ORGANIZATION_ID: text.describe('UUID of the organization above all users'),
  LATCHKEY_PROJECTS_FILE: projects
    .optional()
    .describe(
      'JSON file: list of { id, name, apiKey, redirectUrls, allowedOrigins, organizationId?, logoUrl?, … }, see docs/operate/projects.md; custody and frames trust no others',
    ),
  LATCHKEY_TRUSTED_PROXIES: wholeNumber
    .default(0)
    .describe('how many proxies of yours write X-Forwarded-For before this server (default: 0)'),
  LATCHKEY_JWT_ISSUERS_FILE: jwtIssuers
    .optional()
    .describe(
      'signer-api and gateway: JSON file: list of { projectId, issuer, audience, algorithms, type?, keys: { jwks | file | url } } (optional)',
    ),
  LATCHKEY_CUSTODY_URL: url.describe('custody API as browsers reach it'),
  LATCHKEY_CUSTODY_INTERNAL_URL: text
    .optional()
    .describe('custody API as signer API and admin API reach it (default: LATCHKEY_CUSTODY_URL)'),
  LATCHKEY_CUSTODY_TLS: choice(['required', 'off']).describe(
    'signer-api: required or off; off lets the URLs of custody be http, on a network of your own (default: required)',
  ),
  LATCHKEY_AUTH_FRAME_URL: url.describe('auth frame as browsers reach it, on an origin of its own'),
  LATCHKEY_EXPORT_FRAME_URL: url.describe('export frame as browsers reach it, on an origin of its own'),
  LATCHKEY_IMPORT_FRAME_URL: url.describe('import frame as browsers reach it, on an origin of its own'),
  LATCHKEY_KEY_ENCRYPTION: choice(['secret', 'vault', 'aws-kms', 'file']).describe(
    'custody: what wraps the keys of all wallets: secret, vault, aws-kms or file (default: secret)',
  ),
  LATCHKEY_KEY_ENCRYPTION_PREVIOUS: z
    .enum(['vault', 'aws-kms'], ' must be vault or aws-kms')
    .optional()
    .describe('custody: the service before this one, until rotate-keys is done (optional)'),
  LATCHKEY_KEY_ENCRYPTION_KEY: text.describe('custody, with secret: 32 bytes in hex; losing them loses all wallets'),
  LATCHKEY_KEY_ENCRYPTION_PATH: text.describe('custody, with file: where the key is kept; development only'),
  LATCHKEY_KEY_ENCRYPTION_PREVIOUS_KEYS: list
    .default([])
    .describe('custody: comma-separated secrets before this one, until rotate-keys is done'),
  LATCHKEY_VAULT_URL: url.describe('custody, with vault: such as https://vault.example:8200'),
  LATCHKEY_VAULT_TOKEN: text.describe('custody, with vault: token that may encrypt, decrypt and read the key'),
  LATCHKEY_VAULT_KEY: text.describe('custody, with vault: name of the transit key (aes256-gcm96)'),
  LATCHKEY_VAULT_MOUNT: text
    .optional()
    .describe('custody, with vault: where the transit engine is mounted (default: transit)'),
  LATCHKEY_VAULT_NAMESPACE: text.optional().describe('custody, with vault: namespace (optional)'),
  LATCHKEY_AWS_KMS_KEY: text.describe('custody, with aws-kms: ARN, id or alias of a symmetric key'),
  LATCHKEY_AWS_REGION: text.describe('custody, with aws-kms: its region, such as eu-central-1'),
  LATCHKEY_AWS_ACCESS_KEY_ID: text.describe('custody, with aws-kms: access key that may encrypt and decrypt with it'),
  LATCHKEY_AWS_SECRET_ACCESS_KEY: text.describe('custody, with aws-kms: secret of that access key'),
  LATCHKEY_AWS_SESSION_TOKEN: text.optional().describe('custody, with aws-kms: its session token (optional)'),
  LATCHKEY_AWS_KMS_URL: url
    .optional()
    .describe("custody, with aws-kms: https endpoint of your network (default: the region's)"),
  LATCHKEY_MODE: choice(['production', 'development']).describe(
    'production, or development, which allows a key in a file and limits nothing from this machine by address (default: production)',
  ),
  LATCHKEY_STEP_UP: choice(['required', 'off']).describe(
    'custody: required or off; off lets old sessions export and change credentials (default: required)',
  ),
  LATCHKEY_DELETION_GRACE_DAYS: wholeNumber
    .default(7)
    .describe('custody: days that a deleted account keeps its keys and can be taken back (default: 7)'),
  LATCHKEY_MAIL_SEAL_KEY: text.describe('custody and mail: 32 bytes in hex that seal mails between the two'),
  LATCHKEY_BUNDLE_SIGNING_KEY: text
    .optional()
    .describe('custody: P-256 private key in hex that signs key exports (optional; none without it)'),
  LATCHKEY_FRAMES_PAGE: choice(['auth', 'export', 'import'], ' must be auth, export or import').describe(
    'frames: auth, export or import, one a server (default: auth)',
  ),
  LATCHKEY_BUNDLE_SIGNING_PUBLIC_KEY: text.describe(
    'frames, for the export and import pages: that key as an uncompressed P-256 point in hex',
  ),
  LATCHKEY_ROOT_API_PUBLIC_KEY: text.describe('custody and signer-api: compressed P-256 point in hex'),
  LATCHKEY_ROOT_API_PRIVATE_KEY: text.describe('signer-api: private key of that point, 32 bytes in hex'),
  LATCHKEY_SMTP_URL: url.describe(
    'mail: smtp://user:password@host:port or smtps://…; TLS is a must, but for this machine or ?requireTLS=false',
  ),
  LATCHKEY_MAIL_FROM: text.describe('mail: sender, such as Example <no-reply@example.com>'),
  LATCHKEY_CHAINS_FILE: chains
    .optional()
    .describe(
      'gateway: JSON file: list of { chainId, nodeUrls, bundlerUrls, paymasters?: { 0.6.0?, 0.7.0? }, names?, nativeCurrency?, maxCallGas?, maxGasAtOnce?, maxLogBlocks?, confirmations?, pollMs?, timeoutsMs? }; instead of the next five (optional)',
    ),
  LATCHKEY_NODE_URL: url.describe('gateway: JSON-RPC URL of the chain node'),
  LATCHKEY_BUNDLER_URL: url.describe('gateway: JSON-RPC URL of the ERC-4337 bundler'),
  LATCHKEY_CHAIN_ID: wholeNumber.describe('gateway: chain id'),
  LATCHKEY_PAYMASTER_06: paymasterLine
    .optional()
    .describe(
      'gateway: who pays on EntryPoint 0.6: latchkey:ADDRESS (our contract), verifying:ADDRESS or ADDRESS (the sample one), erc7677:URL (a service) (optional)',
    ),
  LATCHKEY_PAYMASTER_07: paymasterLine.optional().describe('gateway: the same for EntryPoint 0.7 (optional)'),
  LATCHKEY_PAYMASTER_KEY: text
    .optional()
    .describe("gateway: the paymasters' signing key, 32 bytes in hex (or LATCHKEY_PAYMASTER_WRAPPED_KEY)"),
  LATCHKEY_PAYMASTER_WRAPPED_KEY: text
    .optional()
    .describe('gateway: that key as wrap-paymaster-key prints it; opened by LATCHKEY_KEY_ENCRYPTION'),
  LATCHKEY_POLICIES_FILE: policies
    .optional()
    .describe(
      'gateway: JSON file: list of { id, projectId?, isDefault?, paused?, rules? }; without it nothing is paid for',
    ),
  LATCHKEY_OPERATOR_KEY: text.describe(
    'admin, and the command operators: 32 bytes in hex, under which keys of operators and their log are believed',
  ),
  LATCHKEY_CONSOLE_URL: url
    .optional()
    .describe('console, admin and custody: the console as browsers reach it, on an origin of its own (optional)'),
  LATCHKEY_OPERATORS_FILE: operators
    .optional()
    .describe(
      'admin and custody: JSON file of who signs in to the console, as `operators accept` writes it: list of { id, name, role, passkeys } (optional)',
    ),
  LATCHKEY_ADMIN_URL: url.describe('console: admin API as the console reaches it; https, except on this machine'),
  LATCHKEY_EVENT_DAYS: wholeNumber.default(7).describe('gateway: days that events of operations are kept (default: 7)'),
  LATCHKEY_OPERATION_DAYS: wholeNumber
    .default(365)
    .describe('gateway: days that an operation is kept in the log after its end (default: 365)'),
  LATCHKEY_DNS_SERVERS: list
    .default([])
    .describe('doctor: comma-separated resolvers, such as 9.9.9.9 or 127.0.0.1:53 (default: those of this machine)'),
  LATCHKEY_DKIM_SELECTORS: list
    .default([])
    .describe("doctor: comma-separated DKIM selectors of the sender's domain, as the mail service names them"),
  LATCHKEY_WEBHOOK_KEY: text
    .optional()
    .describe("gateway: 32 bytes in hex, from which the secrets of policies' webhooks are derived (optional)"),
})

/** Accepts one of some values; the first is the default. */
function choice<const values extends readonly [string, ...string[]]>(
  values: values,
  message = ` must be ${values.join(' or ')}`,
) {
  return z.enum(values, message).default(values[0])
}

/** Reads the JSON file that a setting names. `describe`: its expected content, given the position of a mistake. */
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
