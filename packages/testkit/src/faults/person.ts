import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { activityTypes, custodyPaths, gatewayMethods } from 'latchkey-protocol'
import { type Address, type Hex, hashMessage, type SignableMessage } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'
import { createStamp } from '../../../server/src/platform/crypto/createStamp.ts'
import { createTestExportFrame } from '../exportFrame.ts'
import { FixtureError } from '../FixtureError.ts'
import { lightOperation, signOperation, type Version } from '../gateway/lightOperation.ts'
import { createTestFrame } from '../signerApi.ts'
import type { FaultDevnet } from './startFaultDevnet.ts'

// biome-ignore lint/suspicious/noExplicitAny: responses of many shapes.
type Reply = { status: number; json: any }
export type Person = { email: string; orgId: string; address: Address; key: { publicKey: string; privateKey: string } }

export type Place = Pick<FaultDevnet, 'apiKey' | 'bundleSigner' | 'secrets' | 'smtp'> & {
  ways: Record<'custody' | 'signerApi', { url: string }>
  /**
   * Whether queries contain path and time. Queries of published clients do not.
   * @default true
   */
  bindsQueries?: boolean
}

const pauseMs = 100
const patienceMs = 90_000

/** Sends a request once. Returns undefined if there is no response. */
export async function post(url: string, body: string, headers: Record<string, string>): Promise<Reply | undefined> {
  try {
    const response = await fetch(url, { method: 'POST', body, headers, signal: AbortSignal.timeout(30_000) })
    return { status: response.status, json: await response.json() }
  } catch {
    return undefined
  }
}

/** Repeats the same request until it does not fail in the server, like a client. */
async function retryUntilAnswered(url: string, body: string, headers: Record<string, string>): Promise<Reply> {
  const deadline = performance.now() + patienceMs
  for (let last: Reply | undefined; ; ) {
    last = (await post(url, body, headers)) ?? last
    if (last && last.status < 500 && last.status !== 429) return last
    if (performance.now() > deadline) throw new FixtureError(`${url} does not recover: ${JSON.stringify(last)}`)
    await setTimeout(pauseMs)
  }
}

async function accepted(url: string, body: string, headers: Record<string, string>): Promise<Reply['json']> {
  const { status, json } = await retryUntilAnswered(url, body, headers)
  if (status === 200) return json
  throw new FixtureError(`${url}: ${status} ${JSON.stringify(json)}`)
}

const asApp = ({ apiKey }: Pick<Place, 'apiKey'>) => ({ authorization: `Bearer ${apiKey}` })
const stampHeaders = (body: string, key: Person['key']) => ({ 'x-stamp': createStamp(body, key).stampHeaderValue })
const signerApi = (devnet: Place, path: string) => `${devnet.ways.signerApi.url}/signer${path}`

/** Creates an activity with a unique timestamp, because custody treats equal activities in one millisecond as one. */
export function activity(type: string, organizationId: string, parameters: object): string {
  return JSON.stringify({ type, timestampMs: String(nextTime()), organizationId, parameters })
}
let lastTime = 0
function nextTime(): number {
  lastTime = Math.max(Date.now(), lastTime + 1)
  return lastTime
}

/** Requests an e-mail, decrypts the bundle in its link like the requesting frame, and queries the signed-in user. */
export async function signUp(devnet: Place, email = `${randomUUID()}@user.example`): Promise<Person> {
  const frame = await createTestFrame()
  const body = JSON.stringify({ email, targetPublicKey: frame.targetPublicKey })
  await accepted(signerApi(devnet, '/v1/signup'), body, asApp(devnet))
  const deadline = performance.now() + patienceMs
  while (performance.now() < deadline) {
    // Links of failed requests are no longer valid.
    for (const { bundle, orgId } of readLinks(devnet, email)) {
      const key = await frame.open(bundle)
      devnet.secrets.add(key.privateKey).add(bundle)
      const person = await askWho(devnet, { orgId, key, email })
      if (person) return person
    }
    await setTimeout(pauseMs)
  }
  throw new FixtureError(`No mail to ${email} has a link that works.`)
}

function readLinks({ smtp }: Place, email: string): { bundle: string; orgId: string }[] {
  return smtp.mails.flatMap(({ recipients, parsed }) => {
    const [link] = recipients.includes(email) ? (/http:\/\/localhost:1\/\?\S+/.exec(parsed.text ?? '') ?? []) : []
    const { searchParams } = new URL(link ?? 'http://none')
    const [bundle, orgId] = [searchParams.get('bundle'), searchParams.get('orgId')]
    return bundle && orgId ? [{ bundle, orgId }] : []
  })
}

async function askWho(devnet: Place, { orgId, key, email }: Omit<Person, 'address'>): Promise<Person | undefined> {
  const body = query(devnet, orgId, custodyPaths.whoami)
  const { status, json } = await retryUntilAnswered(
    signerApi(devnet, '/v1/whoami'),
    JSON.stringify({ stampedRequest: toStamped(devnet, custodyPaths.whoami, body, key) }),
    asApp(devnet),
  )
  return status === 200 ? { orgId, key, email, address: json.address } : undefined
}

function query({ bindsQueries = true }: Place, organizationId: string, path: string): string {
  return JSON.stringify({ organizationId, ...(bindsQueries && { path, timestampMs: String(nextTime()) }) })
}

function toStamped(devnet: Place, path: string, body: string, key: Person['key']) {
  return { body, stamp: createStamp(body, key), url: `${devnet.ways.custody.url}${path}` }
}

export function stampedSigning({ orgId, address, key }: Person, hash: Hex) {
  const body = activity(activityTypes.signRawPayload, orgId, {
    signWith: address,
    payload: hash,
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_NO_OP',
  })
  return { body, headers: stampHeaders(body, key) }
}

/** Signs through the signer API like the page. A repeated request returns the same signature. */
export async function signHash(devnet: Place, person: Person, hash: Hex): Promise<Hex> {
  const { body } = stampedSigning(person, hash)
  const { key } = person
  const request = JSON.stringify({ stampedRequest: toStamped(devnet, custodyPaths.signRawPayload, body, key) })
  return (await accepted(signerApi(devnet, '/v1/sign-payload'), request, asApp(devnet))).signature
}

/** Exports the wallet after a confirmation by e-mail, and returns the seed phrase. */
export async function exportWallet(devnet: Place, person: Person): Promise<string> {
  const { orgId, key } = person
  const question = query(devnet, orgId, custodyPaths.listWallets)
  const custody = (path: string) => `${devnet.ways.custody.url}${path}`
  const { wallets } = await accepted(custody(custodyPaths.listWallets), question, stampHeaders(question, key))
  const page = createTestExportFrame()
  const { targetPublicKey } = page
  const parameters = { walletId: wallets[0].walletId, targetPublicKey }
  const body = activity(activityTypes.exportWallet, orgId, parameters)
  const submit = async () =>
    (await accepted(custody(custodyPaths.exportWallet), body, stampHeaders(body, key))).activity
  await submit()
  const { exportBundle } = await confirm(devnet, person.email, targetPublicKey)
  const secret = await page.open(exportBundle, { signer: devnet.bundleSigner, organizationId: orgId })
  const phrase = Buffer.from(secret).toString()
  devnet.secrets.add(phrase)
  if (mnemonicToAccount(phrase).address.toLowerCase() !== person.address.toLowerCase())
    throw new FixtureError('The phrase is that of another account.')
  return phrase
}

/** Decides like the confirmation page, which receives the export. */
async function confirm(devnet: Place, email: string, targetPublicKey: string): Promise<{ exportBundle: string }> {
  const deadline = performance.now() + patienceMs
  while (performance.now() < deadline) {
    const texts = devnet.smtp.mails
      .filter(({ recipients }) => recipients.includes(email))
      .map(({ parsed }) => parsed.text)
    const [, secret] = /\/confirm\/#(\S+)/.exec(texts.join('\n')) ?? []
    if (secret) {
      devnet.secrets.add(secret)
      const custody = (path: string) => `${devnet.ways.custody.url}${path}`
      const decision = JSON.stringify({ secret, decision: 'accept', targetPublicKey })
      // An earlier attempt with a lost response may have decided already.
      await retryUntilAnswered(custody(custodyPaths.decideConfirmation), decision, {})
      return (await accepted(custody(custodyPaths.readConfirmation), JSON.stringify({ secret }), {})).confirmation
    }
    await setTimeout(pauseMs)
  }
  throw new FixtureError(`No mail asks ${email} to confirm.`)
}

export async function rpc(devnet: FaultDevnet, method: string, params: unknown): Promise<Reply['json']> {
  const deadline = performance.now() + patienceMs
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  for (;;) {
    const { json } = await retryUntilAnswered(`${devnet.ways.gateway.url}/v2/${devnet.apiKey}`, body, {})
    // Latchkey's own error codes mean that the gateway or its upstream failed.
    if (json.error?.data?.code === undefined) return json
    if (performance.now() > deadline) throw new FixtureError(`${method}: ${JSON.stringify(json.error)}`)
    await setTimeout(pauseMs)
  }
}

export async function send(devnet: FaultDevnet, person: Person, version: Version): Promise<Hex> {
  const owner = {
    address: person.address,
    signMessage: ({ message }: { message: SignableMessage }) => signHash(devnet, person, hashMessage(message)),
  }
  const to: Address = '0x00000000000000000000000000000000000000aa'
  // The random salt leads to a new account for each operation.
  const salt = BigInt(`0x${randomUUID().replaceAll('-', '')}`)
  const operation = await lightOperation(devnet, version, [{ to }], { owner, salt })
  const { dummySignature, userOperation } = operation
  const entryPoint = devAddresses.entryPoints[version]
  const request = { policyId: 'default', entryPoint, userOperation, dummySignature }
  const prepared = await rpc(devnet, gatewayMethods.requestGasAndPaymasterAndData, [request])
  if (!prepared.result) throw new FixtureError(JSON.stringify(prepared.error))
  const { hash, params } = await signOperation(devnet.chain.chainId, operation, prepared.result)
  const sent = await rpc(devnet, 'eth_sendUserOperation', params)
  if (sent.result !== hash) throw new FixtureError(JSON.stringify(sent))
  return hash
}

export async function untilIncluded(devnet: FaultDevnet, hash: Hex): Promise<void> {
  const deadline = performance.now() + patienceMs
  let last: unknown
  while (performance.now() < deadline) {
    last = await rpc(devnet, gatewayMethods.waitForUserOperation, [hash, { timeoutMs: 5_000 }])
    if ((last as Reply['json']).result?.state === 'included') return
  }
  throw new FixtureError(`${hash} was accepted and is lost: ${JSON.stringify(last)}`)
}
