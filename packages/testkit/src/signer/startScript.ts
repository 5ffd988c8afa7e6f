import { toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { StoragePort } from '../../../latchkey/src/core/storage/StoragePort.ts'
import {
  BaseError,
  createSigner,
  latchkeyEndpoints,
  type Platform,
  type Signer,
} from '../../../latchkey/src/exports/signer.ts'
import { type Listening, listen, readBody } from './listen.ts'

/** Response of a route, by default JSON. `never` hangs, and `usual` is the default response. */
export type Reply =
  | { status?: number; body?: unknown; text?: string; headers?: Record<string, string> }
  | 'never'
  | 'usual'
/** Returns a frame's reply to a message; undefined means no reply. */
export type FrameReplies = (type: string, value: unknown) => unknown

export type Tab = { signer: Signer; platform: Platform }

export type Script = Awaited<ReturnType<typeof startScript>>

type OpenOptions = {
  platform?: Partial<Platform>
  client?: Partial<createSigner.Parameters['client']>
  isDevice?: boolean
  /** Replies of this tab's frames. @default `script.frame` */
  frame?: FrameReplies
  /** Whether the browser stores the key of this tab's frame. @default true */
  isKept?: boolean
}
type Join = (name: string, onMessage: (message: unknown) => void) => { post(message: unknown): void; close(): void }

export const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
export const person = { orgId: 'org', userId: 'user', address: account.address } as const
export const frameKey = `04${'ab'.repeat(64)}`
export const passkeyId = 'cGFzc2tleQ'

const completed = (name: string, result: unknown) => ({
  body: {
    activity: {
      id: 'id',
      organizationId: 'org',
      status: 'ACTIVITY_STATUS_COMPLETED',
      result: { [`${name}Result`]: result },
    },
  },
})

/**
 * Simulates tabs, passkeys, frames and a service with scripted replies, for replies that a test cannot cause in a real
 * service.
 */
export async function startScript() {
  const requests: string[] = []
  const storage = new Map<string, string>()
  const forgotten: string[] = []
  const listeners = new Map<object, Set<(key: string | null) => void>>()
  const join = createChannels()
  const replies = new Map<string, Reply>()
  const server: Listening = await listen(async (request, response) => {
    const path = request.url ?? ''
    await readBody(request)
    requests.push(path)
    const told = replies.get(path) ?? 'usual'
    const given = (told === 'usual' ? usual(server.url)[path] : told) ?? { status: 404, body: {} }
    if (given === 'never' || given === 'usual') return
    response.writeHead(given.status ?? 200, given.headers)
    response.end(given.text ?? JSON.stringify(given.body ?? null))
  })

  const createStorage = (tab: object): StoragePort => {
    const tell = (key: string) => {
      for (const [other, all] of listeners) {
        if (other !== tab) for (const listener of all) setImmediate(() => listener(key))
      }
    }
    return {
      getItem: (key) => storage.get(key) ?? null,
      setItem(key, value) {
        if (storage.get(key) !== value) tell(key)
        storage.set(key, value)
      },
      removeItem(key) {
        if (storage.delete(key)) tell(key)
      },
    }
  }
  const script = {
    url: server.url,
    /** Requested paths in order. */
    requests: requests as readonly string[],
    /** Storage that all tabs of the browser share. */
    storage,
    /** Credential ids that were reported to the device as deleted. */
    forgotten: forgotten as readonly string[],
    /** Sets the response of a route from now on. */
    reply: (path: string, reply: Reply) => void replies.set(path, reply),
    frame: usualFrame,
    /** Joins a channel of the tabs, like any script of their origin. */
    join,
    /** Opens a tab with a signer. */
    open({ platform: given, client, isDevice, frame, isKept = true }: OpenOptions = {}): Tab {
      const tab = {}
      const own = createStorage(tab)
      listeners.set(tab, new Set())
      const platform: Platform = {
        readLink: () => null,
        storage: () => own,
        onStorageChange(listener) {
          listeners.get(tab)?.add(listener)
          return () => listeners.get(tab)?.delete(listener)
        },
        openFrame: ({ url }) => ({
          ...openFrame(url, (type, value) => (frame ?? script.frame)(type, value)),
          isKept: () => isKept,
        }),
        openTabChannel: join,
        passkeys: {
          create: async () => ({
            challenge: 'AA',
            attestation: { credentialId: passkeyId, attestationObject: 'AA', clientDataJson: 'AA', transports: [] },
          }),
          stamp: async () => ({
            authenticatorData: 'AA',
            clientDataJson: 'AA',
            credentialId: passkeyId,
            signature: 'AA',
          }),
          forget: async ({ credentialId }) => void forgotten.push(credentialId),
        },
        ...given,
      }
      const signer = createSigner({
        client: { connection: { apiKey: 'key' }, endpoints: latchkeyEndpoints(server.url), ...client },
        sessionConfig: { ...(isDevice && { sessionKind: 'device' }) },
        platform,
      })
      return { signer, platform }
    },
    close: () => server.close(),
  }
  return script
}

/** Creates channels. A message is delivered to all other members of the channel. */
function createChannels(): Join {
  const members = new Set<{ name: string; onMessage: (message: unknown) => void }>()
  return (name, onMessage) => {
    const self = { name, onMessage }
    members.add(self)
    return {
      post(message) {
        const copy: unknown = structuredClone(message)
        for (const other of members)
          if (other !== self && other.name === name) setImmediate(() => members.has(other) && other.onMessage(copy))
      },
      close: () => void members.delete(self),
    }
  }
}

function usual(url: string): Record<string, Reply> {
  return {
    '/signer/v1/config': {
      body: { custodyUrl: url, authFrameUrl: url, exportFrameUrl: url, importFrameUrl: url, rootOrgId: 'root' },
    },
    '/signer/v1/lookup': { body: { orgId: 'org' } },
    '/signer/v1/auth': { body: { orgId: 'org', otpId: 'otp' } },
    '/signer/v1/signup': { body: person },
    '/signer/v1/whoami': { body: person },
    '/signer/v1/sign-payload': { body: { signature: toHex(new Uint8Array(65)) } },
    '/public/v1/query/list_wallets': { body: { wallets: [{ walletId: 'wallet' }] } },
    '/public/v1/query/list_wallet_accounts': { body: { accounts: [{ address: person.address }] } },
    '/public/v1/query/get_api_keys': { body: { apiKeys: [] } },
    '/public/v1/query/get_spending_rules': { body: { rules: null, spending: [] } },
    '/public/v1/submit/set_spending_rules': completed('setSpendingRules', { rules: null }),
    '/public/v1/query/get_authenticators': { body: { authenticators: [] } },
    '/public/v1/submit/export_wallet': completed('exportWallet', { exportBundle: 'bundle' }),
    '/public/v1/submit/export_wallet_account': completed('exportWalletAccount', { exportBundle: 'bundle' }),
    '/public/v1/submit/create_authenticators': completed('createAuthenticators', { authenticatorIds: ['id'] }),
    '/public/v1/submit/delete_authenticators': completed('deleteAuthenticators', {}),
    '/public/v1/submit/delete_api_keys': completed('deleteApiKeys', {}),
    '/public/v1/submit/init_import_wallet': completed('initImportWallet', { importBundle: 'bundle' }),
    '/public/v1/submit/import_wallet': completed('importWallet', { addresses: [person.address] }),
    '/public/v1/submit/otp_auth': completed('otpAuth', { credentialBundle: 'bundle' }),
  }
}

export const usualFrame: FrameReplies = (type) => {
  if (type === 'STAMP_REQUEST') return Buffer.from('{"publicKey":"02"}').toString('base64url')
  return type.startsWith('INJECT_') ? true : frameKey
}

function openFrame(url: string, say: FrameReplies): ReturnType<Platform['openFrame']> {
  const waiting = new Set<(error: BaseError) => void>()
  let isAlive = true
  return {
    url,
    isAlive: () => isAlive,
    publicKey: async () => frameKey,
    request(type, value, timeoutMs = 15_000) {
      const reply = say(type, value)
      if (reply !== undefined) return Promise.resolve(reply)
      return new Promise((_, reject) => {
        waiting.add(reject)
        setTimeout(() => reject(new BaseError('silent', { code: 'FRAME_TIMEOUT' })), timeoutMs).unref()
      })
    },
    close() {
      isAlive = false
      for (const fail of waiting) fail(new BaseError('The frame was closed.', { code: 'ABORTED' }))
    },
  }
}
