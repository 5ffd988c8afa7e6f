import { type KeyObject, randomBytes, sign } from 'node:crypto'
import type { BrowserContext, Page } from 'playwright-core'
import { DevError } from '../errors.ts'
import { attestationObject, authenticatorData, clientDataJson, createCredentialKey, flag, sha256 } from './webauthn.ts'

/** The user's reaction to the next prompts. */
export type PasskeyReaction = 'agrees' | 'cancels'

export declare namespace createSoftwarePasskey {
  type Options = {
    /** Whether the device counts signatures. Synced passkeys do not. @default false */
    counts?: boolean | undefined
    /** Whether the device verifies its user (WebAuthn § 6.1, flag UV). @default true */
    verifiesUser?: boolean | undefined
  }
  /** Options of `navigator.credentials`, with buffers as base64url. */
  type CreationOptions = {
    challenge: string
    rp: { id?: string | undefined; name: string }
    user: { id: string; name: string }
    excludeCredentials?: readonly { id: string }[] | undefined
  }
  type RequestOptions = {
    challenge: string
    rpId?: string | undefined
    allowCredentials?: readonly { id: string }[] | undefined
  }
  type Created = { id: string; clientDataJSON: string; attestationObject: string; authenticatorData: string }
  type Assertion = {
    id: string
    clientDataJSON: string
    authenticatorData: string
    signature: string
    userHandle: string
  }
  type ReturnType = {
    /** Returns the ids of the device's passkeys, base64url, newest last. */
    ids(): string[]
    /** Sets the reaction to prompts. `cancels`: each prompt ends as if the user closed it. */
    setMood(mood: PasskeyReaction): void
    setVerifiesUser(verifiesUser: boolean): void
    /** Creates a passkey. @throws an error with a browser's name, `NotAllowedError` or `InvalidStateError`. */
    create(options: CreationOptions, origin: string): Created
    /** Signs with a passkey. @throws an error with a browser's name, `NotAllowedError`. */
    get(options: RequestOptions, origin: string): Assertion
    /** Replaces the browser's passkeys in all pages of a context, for browsers driven by Playwright. */
    installIn(pages: BrowserContext | Page): Promise<void>
    /**
     * Script for other drivers. Run it before the page's own scripts. The page needs a function `latchkeyPasskey(kind,
     * options)` that returns the result of `reply`.
     */
    pageScript: string
    /** `origin`: origin of the requesting page, as reported by the driver. */
    reply(kind: 'create' | 'get', options: string, origin: string): Reply
  }
  type Reply = { result: Created | Assertion } | { error: { name: string; message: string } }
}

type Held = { id: Buffer; rpId: string; userHandle: string; privateKey: KeyObject; signCount: number }

const aaguid = Buffer.from('4c617463686b65792d74657374000000', 'hex')

/**
 * Creates a software passkey device (WebAuthn Level 3, § 6; ES256, no attestation), for browsers without CDP's virtual
 * device and for cases that it does not support: passkeys without counters, and cancelled prompts.
 *
 * @example
 * ```ts
 * import { createSoftwarePasskey, launchBrowser } from 'latchkey-dev/testing'
 *
 * const context = await (await launchBrowser()).newContext()
 * const passkey = createSoftwarePasskey()
 * await passkey.installIn(context)
 * passkey.setMood('cancels')
 * ```
 */
export function createSoftwarePasskey(options: createSoftwarePasskey.Options = {}): createSoftwarePasskey.ReturnType {
  const { counts = false } = options
  const held: Held[] = []
  let { verifiesUser = true } = options
  let mood: PasskeyReaction = 'agrees'
  const flags = () => flag.userPresent | (verifiesUser ? flag.userVerified : 0)
  const ask = (rpId: string, origin: string): void => {
    if (mood === 'cancels') throw named('NotAllowedError', 'The prompt was closed.')
    const { hostname } = new URL(origin)
    if (hostname !== rpId && !hostname.endsWith(`.${rpId}`))
      throw named('SecurityError', `The rpId ${rpId} is not of ${hostname}.`)
  }
  const passkey: createSoftwarePasskey.ReturnType = {
    ids: () => held.map(({ id }) => id.toString('base64url')),
    setMood(next) {
      mood = next
    },
    setVerifiesUser(next) {
      verifiesUser = next
    },
    create({ challenge, rp, user, excludeCredentials = [] }, origin) {
      const rpId = rp.id ?? new URL(origin).hostname
      ask(rpId, origin)
      if (excludeCredentials.some(({ id }) => passkey.ids().includes(id)))
        throw named('InvalidStateError', 'This device has a passkey of the account.')
      const { privateKey, cose } = createCredentialKey()
      const id = randomBytes(32)
      held.push({ id, rpId, userHandle: user.id, privateKey, signCount: 1 })
      const authData = authenticatorData({
        rpId,
        flags: flags() | flag.attested,
        signCount: counts ? 1 : 0,
        attested: { aaguid, id, cose },
      })
      return {
        id: id.toString('base64url'),
        clientDataJSON: clientDataJson({ type: 'webauthn.create', challenge, origin }).toString('base64url'),
        attestationObject: attestationObject(authData).toString('base64url'),
        authenticatorData: authData.toString('base64url'),
      }
    },
    get({ challenge, rpId = '', allowCredentials = [] }, origin) {
      const wanted = rpId || new URL(origin).hostname
      ask(wanted, origin)
      const allowed = allowCredentials.map(({ id }) => id)
      const found = held
        .filter(
          ({ rpId, id }) => rpId === wanted && (allowed.length === 0 || allowed.includes(id.toString('base64url'))),
        )
        .at(-1)
      if (!found) throw named('NotAllowedError', 'No passkey of this site is at hand.')
      found.signCount++
      const client = clientDataJson({ type: 'webauthn.get', challenge, origin })
      const signCount = counts ? found.signCount : 0
      const authData = authenticatorData({ rpId: found.rpId, flags: flags(), signCount })
      const signature = sign('sha256', Buffer.concat([authData, sha256(client)]), found.privateKey)
      return {
        id: found.id.toString('base64url'),
        clientDataJSON: client.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: found.userHandle,
      }
    },
    installIn: (pages) => install(passkey, pages),
    pageScript,
    reply: (kind, text, origin) => reply(passkey, { kind, text, origin }),
  }
  return passkey
}

async function install(passkey: createSoftwarePasskey.ReturnType, pages: BrowserContext | Page): Promise<void> {
  await pages.exposeBinding('latchkeyPasskey', ({ frame }, kind: 'create' | 'get', text: string) =>
    passkey.reply(kind, text, new URL(frame.url()).origin),
  )
  await pages.addInitScript({ content: pageScript })
}

function reply(
  passkey: createSoftwarePasskey.ReturnType,
  { kind, text, origin }: { kind: 'create' | 'get'; text: string; origin: string },
): createSoftwarePasskey.Reply {
  try {
    const given = JSON.parse(text)
    return { result: kind === 'create' ? passkey.create(given, origin) : passkey.get(given, origin) }
  } catch (error) {
    const { name, message } = error as Error
    return { error: { name, message } }
  }
}

/** A string, because this package is compiled without DOM types. Passes buffers as base64url. */
const pageScript = `(() => {
  if (typeof PublicKeyCredential === 'undefined' || window.latchkeyPasskeyInstalled) return
  window.latchkeyPasskeyInstalled = true
  const toBytes = (given) => ArrayBuffer.isView(given)
    ? new Uint8Array(given.buffer, given.byteOffset, given.byteLength) : new Uint8Array(given)
  const toText = (given) => btoa(String.fromCharCode(...toBytes(given)))
    .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  const toBuffer = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0)).buffer
  const named = (list = []) => list.map(({ id }) => ({ id: toText(id) }))
  const ask = async (kind, options) => {
    const { result, error } = await window.latchkeyPasskey(kind, JSON.stringify(options))
    if (error) throw new DOMException(error.message, error.name)
    const { id, ...fields } = result
    const response = Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, toBuffer(text)]))
    const base = kind === 'create' ? AuthenticatorAttestationResponse : AuthenticatorAssertionResponse
    const shape = Object.create(base.prototype)
    for (const [name, value] of Object.entries(response)) Object.defineProperty(shape, name, { value })
    Object.defineProperty(shape, 'getTransports', { value: () => ['internal'] })
    Object.defineProperty(shape, 'getAuthenticatorData', { value: () => response.authenticatorData })
    const credential = Object.create(PublicKeyCredential.prototype)
    const members = { id, rawId: toBuffer(id), type: 'public-key', authenticatorAttachment: 'platform', response: shape,
      getClientExtensionResults: () => ({}) }
    for (const [name, value] of Object.entries(members)) Object.defineProperty(credential, name, { value })
    return credential
  }
  PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)
  PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable = () => Promise.resolve(true)
  navigator.credentials.create = ({ publicKey }) => ask('create', { challenge: toText(publicKey.challenge), rp: publicKey.rp,
    user: { id: toText(publicKey.user.id), name: publicKey.user.name }, excludeCredentials: named(publicKey.excludeCredentials) })
  navigator.credentials.get = ({ publicKey }) => ask('get', { challenge: toText(publicKey.challenge), rpId: publicKey.rpId,
    allowCredentials: named(publicKey.allowCredentials) })
})()`

/** Creates an error with the name of a browser's error (WebAuthn § 5.1). */
function named(name: string, message: string): DevError {
  return Object.assign(new DevError(message, { code: 'ARGUMENT_INVALID' }), { name })
}
