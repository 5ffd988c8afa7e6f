import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Hex, toHex } from 'viem'
import { english, generateMnemonic, mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { type CustodyFaults, custodyRoutes, type Person } from './custodyRoutes.ts'
import { type Listening, listen, readBody } from './listen.ts'
import { sealBundle } from './sealBundle.ts'
import { vectors } from './vectors.ts'
import { verifyStamp } from './verifyStamp.ts'
import { type Attestation, readRegistration, verifyWebauthn, type WebauthnStamp } from './verifyWebauthn.ts'

export type Mail = { to: string; link: string; bundle: string; orgId: string }
export type Seen = { method: string; path: string; headers: IncomingMessage['headers']; body: string }

export type Peer = {
  url: string
  rootOrgId: string
  mails: Mail[]
  requests: Seen[]
  /** `Access-Control-Request-Headers` of the preflights. */
  preflights: string[]
  /** Faults to play: each is read before a response is sent. */
  faults: CustodyFaults & {
    failMail?: boolean
    refuseWhoami?: boolean
    breakWhoami?: boolean
    holdLookup?: Promise<void>
  }
  /** Ends every session key, as time would. */
  expireKeys(): void
  person(email: string): { orgId: string; address: Hex } | undefined
  /** Whose passkey this is. */
  findPerson(credentialId: string): { orgId: string; userId: string; address: Hex } | undefined
  /** What an export shows. */
  secretsOf(address: string): { mnemonic: string; privateKey: Hex } | undefined
  close(): Promise<void>
}

type Reply = { status: number; body: unknown }

/** A signer service written from the documented wire alone. It verifies every stamp. */
export async function startPeer(options: {
  authFrameUrl: string
  /** @default the auth frame's, for tests that export and import nothing */
  exportFrameUrl?: string
  importFrameUrl?: string
  pageUrl: () => string
}): Promise<Peer> {
  const people: Person[] = []
  const mails: Mail[] = []
  const requests: Seen[] = []
  const preflights: string[] = []
  const faults: Peer['faults'] = {}
  const rootOrgId = randomUUID()

  const sendMail = async (person: Person, body: Record<string, unknown>): Promise<Reply> => {
    if (faults.failMail) return fail(503, 'MAIL_UNAVAILABLE', 'The mail could not be sent. Try again in a moment.')
    const { bundle, publicKey } = await sealBundle(String(body.targetPublicKey))
    const seconds = Number(body.expirationSeconds)
    if (!Number.isInteger(seconds) || seconds > 86_400) return fail(400, 'REQUEST_INVALID', 'expirationSeconds')
    person.keys.set(publicKey, Date.now() + seconds * 1000)
    const extra = body.redirectParams === undefined ? '' : `${String(body.redirectParams)}&`
    const link = `${options.pageUrl()}/?${extra}bundle=${bundle}&orgId=${person.orgId}`
    mails.push({ to: String(person.email), link, bundle, orgId: person.orgId })
    return { status: 200, body: { orgId: person.orgId } }
  }
  const bearer = (name: string, value: string, body: string): { person: Person | undefined; expiry: number } => {
    if (name === 'X-Stamp') {
      const publicKey = verifyStamp(value, body)
      const person = people.find(({ keys }) => keys.has(publicKey))
      return { person, expiry: person?.keys.get(publicKey) ?? 0 }
    }
    if (name !== 'X-Stamp-Webauthn') throw new Refused(400, 'name of the stamp header')
    const stamp = JSON.parse(value) as WebauthnStamp
    const person = people.find(({ passkeys }) => passkeys.some(({ id }) => id === stamp.credentialId))
    const passkey = person?.passkeys.find(({ id }) => id === stamp.credentialId)
    if (!passkey) throw new Refused(401, 'could not find passkey in organization', 'CREDENTIAL_NOT_FOUND')
    verifyWebauthn(stamp, body, passkey, options.pageUrl())
    return { person, expiry: Number.POSITIVE_INFINITY }
  }
  /** Who stamped a body, which names their organization; `whoami` may name the parent's. */
  const authenticated = (stamp: { stampHeaderName: string; stampHeaderValue: string }, text: string, path: string) => {
    const { person, expiry } = bearer(stamp.stampHeaderName, stamp.stampHeaderValue, text)
    const inner = JSON.parse(text) as Record<string, unknown>
    const targets = path.endsWith('/whoami') ? [person?.orgId, rootOrgId] : [person?.orgId]
    if (!person || !targets.includes(String(inner.organizationId))) {
      throw new Refused(401, 'could not find public key in organization')
    }
    if (expiry <= Date.now()) throw new Refused(401, 'expired API key')
    return { person, inner }
  }
  const stamped = (body: Record<string, unknown>, path: string): { person: Person; inner: Record<string, unknown> } => {
    const request = body.stampedRequest as {
      body: string
      url: string
      stamp: { stampHeaderName: string; stampHeaderValue: string }
    }
    if (Object.keys(request).join() !== 'body,stamp,url') throw new Refused(400, 'members of stampedRequest')
    if (new URL(request.url).pathname !== path) throw new Refused(400, 'path of the stamped request')
    return authenticated(request.stamp, request.body, path)
  }
  const routes: Record<string, (body: Record<string, unknown>) => Promise<Reply> | Reply> = {
    '/signer/v1/lookup': async ({ email }) => {
      await faults.holdLookup
      return { status: 200, body: { orgId: people.find((p) => p.email === email && p.verified)?.orgId ?? null } }
    },
    '/signer/v1/signup': (body) => {
      if (body.passkey) {
        const { challenge, attestation } = body.passkey as { challenge: string; attestation: Attestation }
        const person = newPerson(undefined)
        person.passkeys.push(readRegistration(challenge, attestation, options.pageUrl()))
        people.push(person)
        return { status: 200, body: { orgId: person.orgId, userId: person.userId, address: person.account.address } }
      }
      const email = String(body.email)
      const person = people.find((p) => p.email === email) ?? newPerson(email)
      if (!people.includes(person)) people.push(person)
      return sendMail(person, body)
    },
    '/signer/v1/auth': (body) => {
      const person = people.find((p) => p.email === body.email && p.verified)
      return person ? sendMail(person, body) : fail(404, 'NOT_FOUND', 'nobody')
    },
    '/signer/v1/whoami': (body) => {
      if (faults.breakWhoami) return fail(503, 'INTERNAL', 'down')
      if (faults.refuseWhoami) return fail(401, 'UNAUTHENTICATED', 'expired API key')
      const { person } = stamped(body, '/public/v1/query/whoami')
      person.verified = true
      const { email, orgId, userId, account } = person
      return { status: 200, body: { email, orgId, userId, address: account.address } }
    },
    '/signer/v1/sign-payload': async (body) => {
      const { person, inner } = stamped(body, '/public/v1/submit/sign_raw_payload')
      const parameters = inner.parameters as { payload: Hex; signWith: string }
      if (inner.type !== 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2') return fail(400, 'REQUEST_INVALID', 'type')
      if (parameters.signWith !== person.account.address) return fail(404, 'NOT_FOUND', 'no such key')
      return { status: 200, body: { signature: await person.account.sign({ hash: parameters.payload }) } }
    },
  }

  const custody = custodyRoutes({ faults, pageUrl: options.pageUrl, signingKey: bundleSigningKey })

  const server: Listening = await listen(async (request, response) => {
    const body = await readBody(request)
    const path = request.url ?? '/'
    if (request.method === 'OPTIONS') {
      preflights.push(String(request.headers['access-control-request-headers']))
      return send(response, 204, undefined)
    }
    requests.push({ method: request.method ?? '', path, headers: request.headers, body })
    if (path === '/signer/v1/config') {
      const config = {
        custodyUrl: server.url,
        authFrameUrl: options.authFrameUrl,
        exportFrameUrl: options.exportFrameUrl ?? options.authFrameUrl,
        importFrameUrl: options.importFrameUrl ?? options.authFrameUrl,
        rootOrgId,
      }
      return send(response, 200, config)
    }
    try {
      const direct = custody[path]
      if (direct) {
        const name = request.headers['x-stamp'] ? 'X-Stamp' : 'X-Stamp-Webauthn'
        const stampHeaderValue = String(request.headers[name.toLowerCase()])
        const { person, inner } = authenticated({ stampHeaderName: name, stampHeaderValue }, body, path)
        return send(response, 200, await direct(person, inner))
      }
      const reply = await routes[path]?.(JSON.parse(body) as Record<string, unknown>)
      send(response, reply?.status ?? 404, reply?.body ?? {})
    } catch (error) {
      const status = error instanceof Refused ? error.status : 401
      const code = error instanceof Refused ? error.code : 'UNAUTHENTICATED'
      const { message } = error as Error
      // The custody service's own errors have another shape.
      send(response, status, path.startsWith('/public/') ? { code: 3, message, details: [] } : { code, message })
    }
  })

  return {
    url: server.url,
    rootOrgId,
    mails,
    requests,
    preflights,
    faults,
    expireKeys() {
      for (const { keys } of people) for (const key of keys.keys()) keys.set(key, 0)
    },
    person(email) {
      const found = people.find((p) => p.email === email)
      return found && { orgId: found.orgId, address: found.account.address }
    },
    findPerson(credentialId) {
      const found = people.find(({ passkeys }) => passkeys.some(({ id }) => id === credentialId))
      return found && { orgId: found.orgId, userId: found.userId, address: found.account.address }
    },
    secretsOf: (address) => people.find(({ account }) => account.address === address),
    close: server.close,
  }
}

/** Signs export bundles. */
export const bundleSigningKey = vectors.exportBundle.signingKey.privateKey

class Refused extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, message: string, code = 'UNAUTHENTICATED') {
    super(message)
    this.status = status
    this.code = code
  }
}

function newPerson(email: string | undefined): Person {
  const mnemonic = generateMnemonic(english)
  const privateKey = toHex(mnemonicToAccount(mnemonic).getHdKey().privateKey ?? new Uint8Array())
  const account = privateKeyToAccount(privateKey)
  return {
    email,
    orgId: randomUUID(),
    userId: randomUUID(),
    account,
    walletId: randomUUID(),
    mnemonic,
    privateKey,
    keys: new Map(),
    passkeys: [],
    verified: false,
  }
}

function fail(status: number, code: string, message: string): Reply {
  return { status, body: { code, message } }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'access-control-allow-origin': '*',
    'access-control-allow-headers':
      'authorization,content-type,alchemy-aa-sdk-version,alchemy-aa-sdk-signer,x-stamp,x-stamp-webauthn,x-client-version',
    'access-control-allow-methods': 'POST,GET',
  })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}
