import { request } from 'node:http'
import { adminExamples } from '@latchkey/testkit/adminExamples'
import { createOwner, question, submission } from '@latchkey/testkit/custodyExamples'
import { createTestFrame, startTestSignerApi, testApiKey } from '@latchkey/testkit/signerApi'
import { startTestAdmin } from '@latchkey/testkit/startTestAdmin'
import fc from 'fast-check'
import { custodyPaths, signerApiPaths } from 'latchkey-protocol'
import { afterAll, expect, test } from 'vitest'
import { queries, submits } from '../custody/calls/table.ts'
import { framesApp } from '../frames/app.ts'
import { gatewayApp } from '../gateway/app.ts'
import { localServiceSigner } from '../keys/serviceSigner.ts'
import { createStamp } from '../platform/crypto/createStamp.ts'
import { listen } from '../platform/http/listen.ts'
import { silentLogger } from '../platform/observability/logger.ts'

/** Checks that no decoder of any role responds with 5xx or hangs, whatever its input. */

/** Number of inputs. `FUZZ_INPUTS=100000` tries more, and another `LATCHKEY_SEED` tries different ones. */
const numRuns = Number(process.env.FUZZ_INPUTS ?? 1_200)
const atOnce = 10
const seed = Number(process.env.LATCHKEY_SEED)
console.log(`seed ${seed}, ${numRuns} inputs`)
/** Maximum milliseconds of a response, even on a slow machine. */
const boundMs = 30_000

type Role = 'custody' | 'signer-api' | 'gateway' | 'frames' | 'admin'

const servers = new Map<Role, listen.ReturnType>()
type Example = [path: string, body: object, method?: string]
const bodies: Record<Role, Example[]> = { custody: [], 'signer-api': [], gateway: [], frames: [], admin: [] }

const many = { limit: 10_000_000, windowMs: 60_000 }
const api = await startTestSignerApi({
  limits: { requestsPerProject: many, requestsPerIp: many, requestsPerOrganization: many, mailsPerProject: many },
})
const { custody } = api
const owner = await createOwner(custody)
const dead = ['http://127.0.0.1:1']
const gateway = gatewayApp({
  db: custody.store.db,
  chains: [{ chainId: 1, nodeUrls: dead, bundlerUrls: dead }],
  signer: localServiceSigner({ key: `0x${'11'.repeat(32)}` }),
})
const admin = await startTestAdmin({
  databaseUrl: custody.store.databaseUrl,
  limits: { requestsPerIp: many, readsPerOperator: many, writesPerOperator: many },
})
const frames = await framesApp({ page: 'auth', projects: [], logger: silentLogger })
for (const [role, app] of [
  ['custody', custody.app],
  ['signer-api', api.app],
  ['gateway', gateway],
  ['frames', frames],
  ['admin', admin.app],
] as const)
  servers.set(role, await listen((req, env) => app.fetch(req, env), { port: 0 }))
await api.stopMail()
await fillBodies()
await api.startMail()
afterAll(async () => {
  for (const server of servers.values()) await server.close()
  await admin.close()
  await api.close()
})

async function fillBodies(): Promise<void> {
  const { custody } = api
  for (const call of Object.keys(submits))
    if (call !== 'delete_sub_organization')
      bodies.custody.push([`/public/v1/submit/${call}`, await submission(custody, await createOwner(custody), call)])
  for (const call of Object.keys(queries))
    bodies.custody.push([`/public/v1/query/${call}`, await question(custody, owner, call)])
  const secret = await readSecret()
  bodies.custody.push([custodyPaths.readConfirmation, { secret }])
  bodies.custody.push([custodyPaths.decideConfirmation, { secret, decision: 'accept' }])
  const { targetPublicKey } = await createTestFrame()
  const mail = { email: owner.email, targetPublicKey, expirationSeconds: 900, redirectParams: 'keep=1' }
  const whoami = JSON.stringify({ organizationId: owner.orgId })
  const stamped = { stampedRequest: { body: whoami, stamp: createStamp(whoami, owner.key), url: 'https://x.example' } }
  const { lookup, signup, auth, whoami: me, signPayload } = signerApiPaths
  for (const [path, body] of [
    [lookup, { email: owner.email }],
    [signup, mail],
    [signup, { passkey: owner.passkey.register() }],
    [auth, mail],
    [me, stamped],
    [signPayload, stamped],
  ] as const)
    bodies['signer-api'].push([`/signer${path}`, body])
  const operation = { sender: owner.address, nonce: '0x0', initCode: '0x', callData: '0x', signature: '0x00' }
  const overrides = { callGasLimit: '0x5208', maxFeePerGas: { multiplier: 1.5 } }
  const entryPoint = '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789'
  for (const [method, params] of [
    ['eth_chainId', []],
    ['eth_call', [{ to: owner.address, data: '0x' }, 'latest']],
    ['eth_estimateUserOperationGas', [operation, entryPoint]],
    ['eth_sendUserOperation', [operation, entryPoint]],
    ['alchemy_requestGasAndPaymasterAndData', [{ policyId: 'x', entryPoint, userOperation: operation, overrides }]],
    ['latchkey_prepareUserOperation', [{ entryPoint, userOperation: operation, nonceKey: '0x0', overrides }]],
    ['eth_feeHistory', ['0x5', 'latest', [50]]],
    ['alchemy_simulateUserOperationAssetChanges', [operation, entryPoint]],
  ] as const)
    for (const path of ['/v2', `/v2/${testApiKey}`])
      bodies.gateway.push([path, { jsonrpc: '2.0', id: 1, method, params }])
  for (const [{ path, method }, example] of await adminExamples(admin))
    bodies.admin.push([`/admin/v1${path}`, example, method.toUpperCase()])
  bodies.frames.push(['/', {}], ['/index.html?project=test', {}], ['/../../etc/passwd', {}])
}

async function readSecret(): Promise<string> {
  const { custody } = api
  const leaving = await createOwner(custody)
  const body = await submission(custody, leaving, 'delete_sub_organization')
  const deleted = await custody.call('submit/delete_sub_organization', body, leaving.key)
  const { content } = await custody.readQueued(deleted.body.activity.id, 'deletion-planned')
  return new URL(('link' in content && content.link) || '').hash.slice(1)
}

type Sent = { role: Role; path: string; method: string; headers: Record<string, string>; body: Buffer }

/** Sends a request with `node:http`, since `fetch` would normalize the input. */
function send({ role, path, method, headers, body }: Sent): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(servers.get(role)?.url ?? '')
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(boundMs)
    const sent = request({ hostname, port, path, method, headers, signal, insecureHTTPParser: true }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close a connection that does not send HTTP, but it must respond or close within the time limit.
      if (signal.aborted) reject(new TypeError(`${role} ${method} ${path}: no answer within ${boundMs} ms`))
      else if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve({ status: 400, text: '' })
      else reject(error)
    })
    sent.end(body)
  })
}

const nasty = fc.oneof(
  fc.constantFrom<unknown>(
    ...[null, true, -1, 0, 2 ** 53, 1e308, '', '0', '-1', '0x', '\u0000', '\ud800', '__proto__', 'constructor'],
    ...['😀'.repeat(60), 'x'.repeat(5_000), '9'.repeat(400), "'; drop table users; --", '../../', '%00', '\r\nBcc: x'],
    ...[[], {}, [[[[[]]]]], [null], { __proto__: null, toString: 1 }, { length: -1 }, Array(300).fill(0)],
  ),
  fc.string({ unit: 'binary' }),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constant(undefined),
)

function change(value: unknown, at: number, by: unknown): unknown {
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : []
  const step = at % (keys.length + 1)
  const key = keys[step]
  if (key === undefined) return by
  const copy: Record<string, unknown> = Object.assign(Array.isArray(value) ? [] : {}, value)
  copy[key] = change(copy[key], Math.floor(at / (keys.length + 1)), by)
  return copy
}

function toBytes(json: unknown): Buffer {
  return Buffer.from(JSON.stringify(json) ?? '')
}

/**
 * Changes to a body that parsers handle differently: duplicate members, `__proto__`, depth, numbers and bytes outside
 * UTF-8.
 */
const wrappings: readonly ((body: Buffer) => Buffer)[] = [
  (body) => body,
  (body) => Buffer.concat([body, body]),
  (body) => body.subarray(0, Math.floor(body.length / 2)),
  (body) => Buffer.from(body.toString().replace('{', '{"__proto__":{"isAdmin":true},"organizationId":1,')),
  (body) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]),
  (body) => Buffer.concat([body.subarray(0, 10), Buffer.from([0xff, 0xfe, 0xc0]), body.subarray(10)]),
  (body) => Buffer.from(`[${Array(40).fill(body.toString()).join(',')}]`),
  () => Buffer.from('['.repeat(30_000)),
  () => Buffer.alloc(70_000, 0x20),
]

const header = fc.string({ unit: 'binary', maxLength: 200 }).map((text) =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, ''),
)
const oddHeaders = fc.dictionary(
  fc.constantFrom(
    ...['x-stamp', 'x-stamp-webauthn', 'authorization', 'origin', 'content-type', 'content-encoding', 'host'],
    ...['x-forwarded-for', 'user-agent', 'if-none-match', 'x-request-id', 'cookie', 'accept', 'referer'],
  ),
  fc.oneof(header, fc.constantFrom('null', 'Bearer ', `Bearer ${testApiKey}`, 'gzip', 'https://x.example', 'e30', '*')),
  { maxKeys: 4 },
)
const paths = fc.oneof(
  { weight: 12, arbitrary: fc.constant('') },
  fc.constantFrom('/%', '/%00', '//', '/..%2f', '?a[]=1&a=2', `/${'x'.repeat(3_000)}`, '/%ff%fe', '/public/v1/query/'),
  fc.webPath(),
)

const methods = ['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'HEAD']
const input = fc.record({
  role: fc.constantFrom<Role>('custody', 'custody', 'signer-api', 'signer-api', 'gateway', 'admin', 'frames'),
  call: fc.nat(),
  at: fc.nat(),
  by: nasty,
  wrapping: fc.nat(40),
  isStamped: fc.boolean(),
  odd: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, oddHeaders),
  suffix: paths,
  method: fc.oneof({ weight: 12, arbitrary: fc.constant('POST') }, fc.constantFrom(...methods)),
})

type Given = typeof input extends fc.Arbitrary<infer value> ? value : never

function write(given: Given): Sent {
  const { role, call, at, by, wrapping, isStamped, odd, suffix, method } = given
  const [path, example, usual] = bodies[role][call % bodies[role].length] ?? ['/', {}]
  if (role === 'admin') return writeAdmin({ ...given, path, example, usual: usual ?? method })
  const body = (wrappings[wrapping] ?? ((same) => same))(toBytes(change(example, at, by)))
  const stamp = isStamped && role === 'custody' ? createStamp(body.toString(), owner.key) : undefined
  const headers: Record<string, string> = {
    ...(stamp && { [stamp.stampHeaderName]: stamp.stampHeaderValue }),
    ...(role === 'signer-api' && { authorization: `Bearer ${testApiKey}` }),
    ...odd,
    'content-length': String(body.length),
  }
  return { role, path: encodeURI(path) + suffix.replaceAll(' ', ''), method, headers, body }
}

type AdminInput = Given & { path: string; example: object; usual: string }

function writeAdmin({ path, example, at, by, wrapping, odd, suffix, method, usual }: AdminInput): Sent {
  const part = (changed: unknown, name: string): unknown => (changed as Record<string, unknown> | null)?.[name]
  const changed = change(example, at, by)
  // Lone surrogates become replacement characters.
  const toText = (value: unknown) =>
    Buffer.from(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toString()
  const list = (name: string) => Object.entries(Object(part(changed, name)) as Record<string, unknown>)
  const params = Object(part(changed, 'params')) as Record<string, unknown>
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(toText(params[name])))
  const query = list('query').map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(toText(value))}`)
  const whole = part(changed, 'body')
  const body = whole === undefined ? Buffer.alloc(0) : (wrappings[wrapping] ?? ((same) => same))(toBytes(whole))
  const given = list('headers').map(([name, value]) => [name, toText(value).replace(/[^\t\x20-\x7e]/g, '')])
  return {
    role: 'admin',
    path: `${place}${suffix.replaceAll(' ', '')}${query.length > 0 ? `?${query.join('&')}` : ''}`.slice(0, 8_000),
    method: method === 'POST' ? usual : method,
    headers: {
      authorization: `Bearer ${admin.secrets.admin}`,
      ...Object.fromEntries(given.filter(([name = '']) => /^[\w-]+$/.test(name))),
      ...odd,
      'content-length': String(body.length),
    },
    body,
  }
}

test(
  'answers every input to every decoder of every role',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(input, { minLength: atOnce, maxLength: atOnce }), async (inputs) => {
        const check = async (given: (typeof inputs)[number]) => {
          const sent = write(given)
          const { status, text } = await send(sent)
          const shown = JSON.stringify({ ...sent, body: sent.body.toString() })
          expect(status, `${shown}\n${api.custody.logs.at(-1)}`).toBeLessThan(500)
          expect(text, shown).not.toContain('"INTERNAL"')
          // The listener itself refuses unknown host names.
          const isRead = !('host' in sent.headers) && sent.method === 'POST' && text.startsWith('{')
          if (sent.role === 'custody' && isRead && status >= 400)
            expect(JSON.parse(text), shown).toMatchObject({ message: expect.any(String), details: expect.any(Array) })
        }
        await Promise.all(inputs.map(check))
      }),
      { seed, numRuns: Math.ceil(numRuns / atOnce), endOnFailure: true },
    )
  },
  Math.max(300_000, numRuns * 250),
)
