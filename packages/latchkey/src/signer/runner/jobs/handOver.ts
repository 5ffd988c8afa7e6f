import type { LentKey } from 'latchkey-protocol'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { LinkExpiredError } from '../../errors/authErrors.ts'
import { isTransient } from '../../errors/explain.ts'
import { isText } from '../../guards.ts'
import type { Session } from '../../session/Session.ts'
import type { SignerContext } from '../createContext.ts'
import type { AuthRequest, MachineState } from '../machine/types.ts'

// If the browser blocks the frame's storage, only the tab that requested an e-mail has the key for its bundle. The tab
// that opens the link offers the encrypted bundle to other tabs of this origin, and tabs that wait for an e-mail try to
// decrypt it. Another script that listens gains nothing: it could read the bundle from the page's URL, and only the
// requesting tab's frame can decrypt it.

/** Message of the tab that opened the link. `id` is a random id of the offer. */
type Offer = { type: 'offer'; id: string; bundle: string; orgId?: string | undefined }
/**
 * Reply of a waiting tab. `trying`: the tab tries the bundle; `foreign`: the bundle is encrypted to another key;
 * `done`: the tab signed in; `refused`: the sign-in failed permanently; `failed`: a retry may succeed.
 */
type Reply = { type: 'trying' | 'foreign' | 'done' | 'refused' | 'failed'; id: string; tab: string }

const replyTypes: ReadonlySet<unknown> = new Set<Reply['type']>(['trying', 'foreign', 'done', 'refused', 'failed'])

/** Interval for repeating an offer. A tab ignores the first offers while it is requesting another e-mail. */
const repeatMs = 250
/** Longest wait for another tab's `trying`. */
const silenceMs = 1_500
/** Longest wait for the result after `trying`. */
const tryMs = 30_000
/** Interval and number of checks for the session that the other tab stores. */
const sharedMs = 50
const sharedLooks = 20
/** Maximum length of a bundle, far above the length of valid bundles. */
const maxLength = 4_096

/**
 * Offers tabs that wait for an e-mail a bundle that this tab's frame cannot decrypt. Resolves to the session that
 * another tab created and this tab can use.
 *
 * @throws `LINK_HANDED_OVER` (another tab signed in, but the session is not shared), `LINK_TAB_GONE`, `LINK_EXPIRED`,
 * `NETWORK_UNREACHABLE`; the error `notOpened` if no tab of this browser requested an e-mail.
 */
export async function offerBundle(
  context: SignerContext,
  { bundle, orgId, notOpened }: { bundle: string; orgId?: string | undefined; notOpened: unknown },
  signal: AbortSignal,
): Promise<Session> {
  const outcome = await offer(context, { bundle, orgId }, signal)
  signal.throwIfAborted()
  if (outcome === 'refused') throw new LinkExpiredError()
  if (outcome === 'failed') throw otherTabFailed()
  if (outcome === 'none') throw context.store.readTemporary() ? tabGone(notOpened) : notOpened
  const session = await readShared(context, bundle)
  if (!session) throw handedOver()
  return session
}

/** Waits for the session that the other tab stores, which may arrive after that tab's message. */
async function readShared({ store, deviceKeys }: SignerContext, bundle: string): Promise<Session | null> {
  for (let look = 0; look < sharedLooks; look++) {
    const stored = store.read()
    const isShared = stored?.type === 'email' && stored.bundle === bundle && stored.deviceKey !== undefined
    if (isShared && (await deviceKeys.has(stored.deviceKey ?? ''))) return stored
    await new Promise((resolve) => setTimeout(resolve, sharedMs))
  }
  return null
}

type Outcome = 'done' | 'refused' | 'failed' | 'none'

function offer(
  { openTabChannel }: SignerContext,
  { bundle, orgId }: Pick<Offer, 'bundle' | 'orgId'>,
  signal: AbortSignal,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const id = crypto.randomUUID()
    const trying = new Set<string>()
    let isSilent = false
    const channel = openTabChannel((message) => {
      const reply = readReply(message, id)
      if (!reply) return
      const { type, tab } = reply
      if (type === 'trying') trying.add(tab)
      else if (type !== 'foreign') end(type)
      else if (trying.delete(tab)) endIfNone()
    })
    const post = () => channel?.post({ type: 'offer', id, bundle, orgId } satisfies Offer)
    const repeat = setInterval(post, repeatMs)
    const silence = setTimeout(() => {
      clearInterval(repeat)
      isSilent = true
      endIfNone()
    }, silenceMs)
    const last = setTimeout(() => end('none'), tryMs)
    const endIfNone = () => isSilent && trying.size === 0 && end('none')
    const abort = () => end('none')
    function end(outcome: Outcome) {
      clearInterval(repeat)
      clearTimeout(silence)
      clearTimeout(last)
      signal.removeEventListener('abort', abort)
      channel?.close()
      resolve(outcome)
    }
    signal.addEventListener('abort', abort)
    if (channel) post()
    else end('none')
  })
}

type Runner = {
  context: SignerContext
  state(): MachineState
  call(request: AuthRequest): Promise<unknown>
}

/** Accepts other tabs' offers while this tab waits for an e-mail. Returns an unsubscribe function. */
export function takeBundles(runner: Runner): () => void {
  const tab = crypto.randomUUID()
  /** Id of the last offer. Offers are repeated, but each is handled once. */
  let lastId = ''
  const take = async ({ id, bundle, orgId }: Offer) => {
    // Ignores the offer during other work, because the offer is repeated.
    if (runner.state().status !== 'AWAITING_EMAIL_AUTH' || id === lastId) return
    lastId = id
    const reply = (type: Reply['type']) => channel?.post({ type, id, tab } satisfies Reply)
    reply('trying')
    await runner.call({ type: 'email', bundle, orgId, isHandedOver: true }).then(
      () => reply('done'),
      (error: unknown) => reply(toReply(error)),
    )
  }
  const channel = runner.context.openTabChannel((message) => {
    const offered = readOffer(message)
    if (offered) void take(offered)
  })
  return () => channel?.close()
}

function toReply(error: unknown): Reply['type'] {
  const isForeign = error instanceof BaseError && error.code === 'BUNDLE_INJECTION_FAILED'
  if (isForeign) return 'foreign'
  return isTransient(error) ? 'failed' : 'refused'
}

/**
 * If the browser blocks the frame's storage, stores the session's non-extractable key in the page's own storage, for
 * reloads and other tabs. Best effort: without the stored key, the session lasts as long as the page.
 */
export async function keepLentKey({ authFrame, deviceKeys }: SignerContext, session: Session): Promise<Session> {
  try {
    const lent = await authFrame.lendKey()
    if (!isLentKey(lent)) return session
    const { publicKey, keyPair } = lent
    await deviceKeys.keep(publicKey, keyPair, session.expirationDateMs)
    // Some platforms cannot store keys.
    return (await deviceKeys.has(publicKey)) ? { ...session, deviceKey: publicKey } : session
  } catch {
    return session
  }
}

/** Checks a key received from a frame. Latchkey's frame never sends an extractable key. */
function isLentKey(value: unknown): value is { publicKey: string; keyPair: CryptoKeyPair } {
  const { publicKey, keyPair } = (value ?? {}) as Partial<LentKey>
  const { privateKey } = (keyPair ?? {}) as Partial<CryptoKeyPair>
  const isOurs = privateKey instanceof CryptoKey && privateKey.type === 'private' && !privateKey.extractable
  return isOurs && typeof publicKey === 'string' && /^0[23][0-9a-f]{64}$/.test(publicKey)
}

// Validates the message, because any script of this origin can send messages.
function readOffer(message: unknown): Offer | null {
  const { type, id, bundle, orgId } = (message ?? {}) as Partial<Record<keyof Offer, unknown>>
  if (type !== 'offer' || !isShort(id) || !isShort(bundle)) return null
  return orgId === undefined || isShort(orgId) ? { type, id, bundle, orgId } : null
}

function readReply(message: unknown, offered: string): Reply | null {
  const { type, id, tab } = (message ?? {}) as Partial<Record<keyof Reply, unknown>>
  return replyTypes.has(type) && id === offered && isShort(tab) ? { type: type as Reply['type'], id, tab } : null
}

function isShort(value: unknown): value is string {
  return isText(value) && value.length <= maxLength
}

function tabGone(cause: unknown): BaseError {
  return new BaseError('The tab where you started was closed.', {
    code: 'LINK_TAB_GONE',
    metaMessages: ['Get a new email in this tab and enter its code here.'],
    cause,
  })
}

function handedOver(): BaseError {
  return new BaseError("You're signed in. Continue in your other tab.", {
    code: 'LINK_HANDED_OVER',
    metaMessages: ['The link signed you in where you started.'],
  })
}

function otherTabFailed(): BaseError {
  return new BaseError('The tab where you started could not sign you in.', {
    code: 'NETWORK_UNREACHABLE',
    metaMessages: ['Open the link in the email again.'],
  })
}
