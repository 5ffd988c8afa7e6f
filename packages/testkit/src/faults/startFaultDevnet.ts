import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { p256 } from '@noble/curves/nist.js'
import { createPublicClient, http, type PublicClient } from 'viem'
import { devAccountOf } from '../../../dev/src/chain/devAccounts.ts'
import { freePorts } from '../../../dev/src/devnet/freePorts.ts'
import { bundleSigningPublicKey } from '../../../server/src/keys/bundleSigningPublicKey.ts'
import { createApiKeyPair } from '../../../server/src/keys/createApiKeyPair.ts'
import { startTestChain, type TestChain } from '../chain.ts'
import { ownPaymasters } from '../gateway/paymasters.ts'
import { asRole } from '../run/databaseServer.ts'
import { startTestSmtp } from '../smtp.ts'
import { startTestVault } from '../vault.ts'
import { type FaultDatabase, startFaultDatabase } from './startFaultDatabase.ts'
import { type FaultyProxy, startFaultyProxy } from './startFaultyProxy.ts'
import { until } from './startPortForwarder.ts'
import { type RoleProcess, startRole } from './startRole.ts'

export const roleNames = ['custody', 'signer-api', 'mail', 'gateway'] as const
type RoleName = (typeof roleNames)[number]

export type FaultDevnet = Awaited<ReturnType<typeof startFaultDevnet>>

/** Returns the path of the file to which a process writes the clock shift that it uses. */
const toSeenPath = (clockFile: string, port: number | string) => `${clockFile}-${port}`

/** Returns a preload script that shifts the process's clock by the number in a file. The script rereads the file. */
const shiftedClock = (file: string) =>
  `data:text/javascript,${encodeURIComponent(`
import { readFileSync, writeFileSync } from 'node:fs'
const now = Date.now
let shift = 0
let seen
const look = () => {
  try {
    shift = Number(readFileSync(${JSON.stringify(file)}, 'utf8'))
    if (seen !== shift) writeFileSync(${JSON.stringify(toSeenPath(file, ''))} + process.env.LATCHKEY_PORT, String(shift))
    seen = shift
  } catch {}
}
look()
setInterval(look, 20).unref()
Date.now = () => now() + shift
const Real = Date
globalThis.Date = class extends Real {
  constructor(...given) { if (given.length === 0) super(Date.now()); else super(...given) }
}
`)}`

export type Pooler = { url: string; environment: Readonly<Record<string, string>>; close(): Promise<void> }
type Options = {
  startPooler?: (database: FaultDatabase) => Promise<Pooler>
  /** Number of instances of each role, which receive requests in turn. @default 1 */
  copies?: number
}

/** Starts each role in its own process, with a faulty proxy between any two roles. */
export async function startFaultDevnet(options: Options = {}) {
  const closers: (() => Promise<unknown>)[] = []
  const keep = async <part extends { close(): Promise<unknown> }>(starting: Promise<part>): Promise<part> => {
    const part = await starting
    closers.push(() => part.close())
    return part
  }
  try {
    const devnet = await start(keep, options)
    closers.push(() => rm(devnet.folder, { recursive: true, force: true }))
    const rolesReady = () => Promise.all(devnet.processes.map((role) => role.ready()))
    await rolesReady()
    return {
      ...devnet,
      async ready() {
        await rolesReady()
      },
      close: () => closeAll(closers),
    }
  } catch (error) {
    await closeAll(closers)
    throw error
  }
}

async function closeAll(closers: (() => Promise<unknown>)[]): Promise<void> {
  for (const closer of closers.splice(0).reverse()) await closer()
}

type Keep = <part extends { close(): Promise<unknown> }>(starting: Promise<part>) => Promise<part>

async function start(keep: Keep, { startPooler, copies = 1 }: Options) {
  const [database, chain, smtp, vault] = await Promise.all([
    keep(startFaultDatabase()),
    keep(startTestChain({ bundler: true })),
    keep(startTestSmtp()),
    keep(startTestVault()),
  ])
  const pooler = startPooler && (await keep(startPooler(database)))
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-test-faults-'))
  const firstPort = await freePorts(roleNames.length * copies)
  const toPorts = (name: RoleName) =>
    Array.from({ length: copies }, (_, copy) => firstPort + roleNames.indexOf(name) * copies + copy)
  const bent = (...targets: Parameters<typeof startFaultyProxy>) => keep(startFaultyProxy(...targets))
  const before = (name: RoleName) => {
    const [first, ...others] = toPorts(name).map((port) => `http://localhost:${port}`)
    return bent(first as string, ...others)
  }
  const [custody, signerApi, gateway, custodyFromSigner, node, bundler, vaultWay] = await Promise.all([
    before('custody'),
    before('signer-api'),
    before('gateway'),
    before('custody'),
    bent(chain.nodeUrl),
    bent(chain.bundlerUrl),
    bent(vault.url),
  ])
  const keys = makeKeys()
  const apiKey = `app-${randomBytes(12).toString('hex')}`
  const rootOrganizationId = randomUUID()
  await writeFiles(folder, { apiKey, node: node.url, bundler: bundler.url, chainId: chain.chainId })
  const shared = {
    ...pooler?.environment,
    LATCHKEY_MODE: 'development',
    LATCHKEY_ROOT_ORGANIZATION_ID: rootOrganizationId,
    LATCHKEY_PROJECTS_FILE: join(folder, 'projects.json'),
    LATCHKEY_CUSTODY_URL: custody.url,
    LATCHKEY_AUTH_FRAME_URL: 'http://localhost:2',
    LATCHKEY_EXPORT_FRAME_URL: 'http://localhost:3',
    LATCHKEY_IMPORT_FRAME_URL: 'http://localhost:3',
  }
  const ofCustody = {
    LATCHKEY_KEY_ENCRYPTION: 'vault',
    LATCHKEY_VAULT_URL: vaultWay.url,
    LATCHKEY_VAULT_TOKEN: vault.token,
    LATCHKEY_VAULT_KEY: vault.key,
    LATCHKEY_MAIL_SEAL_KEY: keys.mailSeal,
    LATCHKEY_BUNDLE_SIGNING_KEY: keys.bundleSigning,
    LATCHKEY_ROOT_API_PUBLIC_KEY: keys.root.publicKey,
  }
  const clockFile = join(folder, 'clock')
  await writeFile(clockFile, '0')
  const processes: RoleProcess[] = []
  async function run(name: RoleName, environment: Record<string, string>, preload?: string): Promise<RoleProcess> {
    const databaseUrl = asRole(pooler?.url ?? database.slowUrl, name)
    const begin = (port: number) =>
      keep(startRole({ name, port, databaseUrl, environment: { ...shared, ...environment }, preload }))
    const started = await Promise.all(toPorts(name).map(begin))
    processes.push(...started)
    return started[0] as RoleProcess
  }
  const roles = {
    // Custody starts first, because the other roles need the files that it writes.
    custody: await run('custody', ofCustody, shiftedClock(clockFile)),
    'signer-api': await run('signer-api', {
      LATCHKEY_CUSTODY_INTERNAL_URL: custodyFromSigner.url,
      LATCHKEY_ROOT_API_PUBLIC_KEY: keys.root.publicKey,
      LATCHKEY_ROOT_API_PRIVATE_KEY: keys.root.privateKey,
    }),
    mail: await run('mail', {
      LATCHKEY_MAIL_SEAL_KEY: keys.mailSeal,
      LATCHKEY_SMTP_URL: smtp.url,
      LATCHKEY_MAIL_FROM: 'App <no-reply@app.example>',
    }),
    gateway: await run('gateway', {
      LATCHKEY_CHAINS_FILE: join(folder, 'chains.json'),
      LATCHKEY_POLICIES_FILE: join(folder, 'policies.json'),
      LATCHKEY_PAYMASTER_KEY: devAccountOf.paymasterSigner.privateKey,
    }),
  }
  return {
    database: database as FaultDatabase,
    /** First instance of each role. `processes` contains all instances. */
    roles,
    processes: processes as readonly RoleProcess[],
    chain: chain as TestChain,
    /** Client of the node, without the gateway. */
    client: createPublicClient({ transport: http(chain.nodeUrl) }) as PublicClient,
    smtp,
    vault,
    ways: { custody, signerApi, gateway, custodyFromSigner, node, bundler, vault: vaultWay } satisfies Record<
      string,
      FaultyProxy
    >,
    apiKey,
    rootOrganizationId,
    bundleSigner: bundleSigningPublicKey(keys.bundleSigning),
    /** Shifts the clock of custody's process. */
    async setCustodyClock(byMs: number) {
      // Writes a temporary file and renames it, because a process could otherwise read a partly written file.
      await writeFile(`${clockFile}.next`, String(byMs))
      await rename(`${clockFile}.next`, clockFile)
      const read = (port: number) => readFile(toSeenPath(clockFile, port), 'utf8').catch(() => undefined)
      const haveAll = async () =>
        (await Promise.all(toPorts('custody').map(read))).every((seen) => seen === String(byMs))
      await until(haveAll, 'Custody does not read its clock.')
    },
    /** Values that no process may print. Tests add the secrets of their users. */
    secrets: new Set([
      database.password,
      keys.mailSeal,
      keys.bundleSigning,
      keys.root.privateKey,
      vault.token,
      devAccountOf.paymasterSigner.privateKey.slice(2),
    ]),
    /** Environment for `latchkey-server` commands, with the owner's database URL and custody's keys. */
    environment: { ...shared, ...ofCustody, DATABASE_URL: database.url } as Readonly<Record<string, string>>,
    folder,
  }
}

function makeKeys() {
  return {
    mailSeal: randomBytes(32).toString('hex'),
    bundleSigning: Buffer.from(p256.utils.randomSecretKey()).toString('hex'),
    root: createApiKeyPair(),
  }
}

type Files = { apiKey: string; node: string; bundler: string; chainId: number }

async function writeFiles(folder: string, { apiKey, node, bundler, chainId }: Files): Promise<void> {
  const write = (name: string, content: object[]) => writeFile(join(folder, `${name}.json`), JSON.stringify(content))
  const lists = { redirectUrls: ['http://localhost:1/'], allowedOrigins: [] }
  // Users of these tests sign digests.
  await write('projects', [{ id: 'app', name: 'App', apiKey, ...lists, signing: { blind: 'allow' } }])
  const limits = { policy: { day: { cost: String(10n ** 24n) } } }
  await write('policies', [{ id: 'default', projectId: 'app', isDefault: true, rules: { limits } }])
  await write('chains', [
    {
      chainId,
      nodeUrls: [node],
      bundlerUrls: [bundler],
      paymasters: ownPaymasters,
      confirmations: 0,
      pollMs: 50,
      timeoutsMs: { node: 3_000, bundler: 3_000 },
    },
  ])
}
