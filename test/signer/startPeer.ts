import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { type Listening, listen, readBody } from './listen.ts'
import { sealBundle } from './sealBundle.ts'
import { verifyStamp } from './verifyStamp.ts'

export type Mail = { to: string; link: string; bundle: string; orgId: string }
export type Seen = { method: string; path: string; headers: IncomingMessage['headers']; body: string }

type Person = {
  email: string
  orgId: string
  userId: string
  account: ReturnType<typeof privateKeyToAccount>
  keys: Map<string, number>
  verified: boolean
}

export type Peer = {
  url: string
  mails: Mail[]
  requests: Seen[]
  /** `Access-Control-Request-Headers` of the preflights. */
  preflights: string[]
  /** Faults to play: each is asked before a request is answered. */
  faults: { failMail?: boolean; refuseWhoami?: boolean; breakWhoami?: boolean; holdLookup?: Promise<void> }
  /** Ends every session key, as time would. */
  expireKeys(): void
  person(email: string): { orgId: string; address: Hex } | undefined
  close(): Promise<void>
}

type Answer = { status: number; body: unknown }

/** A signer service written from the documented wire alone. It verifies every stamp. */
export async function startPeer(options: { authFrameUrl: string; pageUrl: () => string }): Promise<Peer> {
  const people: Person[] = []
  const mails: Mail[] = []
  const requests: Seen[] = []
  const preflights: string[] = []
  const faults: Peer['faults'] = {}

  const sendMail = async (person: Person, body: Record<string, unknown>): Promise<Answer> => {
    if (faults.failMail) return fail(503, 'MAIL_UNAVAILABLE', 'The mail could not be sent. Try again in a moment.')
    const { bundle, publicKey } = await sealBundle(String(body.targetPublicKey))
    const seconds = Number(body.expirationSeconds)
    if (!Number.isInteger(seconds) || seconds > 86_400) return fail(400, 'REQUEST_INVALID', 'expirationSeconds')
    person.keys.set(publicKey, Date.now() + seconds * 1000)
    const extra = body.redirectParams === undefined ? '' : `${String(body.redirectParams)}&`
    const link = `${options.pageUrl()}/?${extra}bundle=${bundle}&orgId=${person.orgId}`
    mails.push({ to: person.email, link, bundle, orgId: person.orgId })
    return { status: 200, body: { orgId: person.orgId } }
  }
  const stamped = (body: Record<string, unknown>, path: string): { person: Person; inner: Record<string, unknown> } => {
    const request = body.stampedRequest as {
      body: string
      url: string
      stamp: { stampHeaderName: string; stampHeaderValue: string }
    }
    if (Object.keys(request).join() !== 'body,stamp,url') throw new Refused(400, 'members of stampedRequest')
    if (request.stamp.stampHeaderName !== 'X-Stamp') throw new Refused(400, 'name of the stamp header')
    if (new URL(request.url).pathname !== path) throw new Refused(400, 'path of the stamped request')
    const publicKey = verifyStamp(request.stamp.stampHeaderValue, request.body)
    const inner = JSON.parse(request.body) as Record<string, unknown>
    const person = people.find(({ orgId }) => orgId === inner.organizationId)
    const expiry = person?.keys.get(publicKey)
    if (!person || expiry === undefined) throw new Refused(401, 'could not find public key in organization')
    if (expiry <= Date.now()) throw new Refused(401, 'expired API key')
    return { person, inner }
  }
  const routes: Record<string, (body: Record<string, unknown>) => Promise<Answer> | Answer> = {
    '/signer/v1/lookup': async ({ email }) => {
      await faults.holdLookup
      return { status: 200, body: { orgId: people.find((p) => p.email === email && p.verified)?.orgId ?? null } }
    },
    '/signer/v1/signup': (body) => {
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
        exportFrameUrl: options.authFrameUrl,
        rootOrgId: randomUUID(),
      }
      return send(response, 200, config)
    }
    try {
      const answer = await routes[path]?.(JSON.parse(body) as Record<string, unknown>)
      send(response, answer?.status ?? 404, answer?.body ?? {})
    } catch (error) {
      const status = error instanceof Refused ? error.status : 401
      send(response, status, { code: 'UNAUTHENTICATED', message: (error as Error).message })
    }
  })

  return {
    url: server.url,
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
    close: server.close,
  }
}

class Refused extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

function newPerson(email: string): Person {
  const account = privateKeyToAccount(generatePrivateKey())
  return { email, orgId: randomUUID(), userId: randomUUID(), account, keys: new Map(), verified: false }
}

function fail(status: number, code: string, message: string): Answer {
  return { status, body: { code, message } }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'authorization,content-type,alchemy-aa-sdk-version',
    'access-control-allow-methods': 'POST,GET',
  })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}
