import { frameMessages, headers, lendingMessages, type Stamp } from 'latchkey-protocol'
import { BaseError } from '../../../core/errors/BaseError.ts'
import type { Frame, Platform, Succession } from '../../../web/platform.ts'
import { BundleInjectionError, signedOutError } from '../../errors/authErrors.ts'
import { ResponseInvalidError } from '../../errors/custodyErrors.ts'
import type { Endpoints, IframeConfig } from '../../types.ts'
import type { Stamper } from '../api/createCustodyApi.ts'
import { injectBundle } from './injectBundle.ts'
import { isFrameKey } from './isFrameKey.ts'

export type AuthFrame = {
  /** Returns the key to which a new credential is encrypted. Opens the frame when there is none. */
  publicKey(): Promise<string>
  /**
   * Gives the frame a credential bundle. `signal` is checked last, so that a stale bundle cannot replace a newer one.
   */
  inject(bundle: string, signal: AbortSignal): Promise<void>
  stamp: Stamper
  /** Asks the frame for the non-extractable key of its credential and returns its answer. */
  lendKey(): Promise<unknown>
  /** Whether the frame's key outlives the page: false where the browser blocks storage of third-party frames. */
  isKept(): Promise<boolean>
  /** Removes the frame. */
  close(): Promise<void>
  /** Deletes the frame's key, so that bundles no longer open, and removes the frame; `revoke` may stamp before that. */
  reset(revoke?: (stamp: Stamper) => Promise<unknown>): Promise<void>
}

export declare namespace createAuthFrame {
  type Parameters = {
    platform: Platform
    endpoints: Endpoints
    iframeConfig?: IframeConfig | undefined
    /** Lets a later signer of the same session replace this one. */
    succession?: Succession | undefined
  }
  type ReturnType = AuthFrame
}

const timeoutMs = 15_000
/** Longest wait, when signing out, for the frame's last stamp and the deletion of its key. */
const resetTimeoutMs = 3_000

/**
 * Creates the auth frame: opened when first needed, and again after it was closed, failed to open or was removed by the
 * page.
 */
export function createAuthFrame(parameters: createAuthFrame.Parameters): createAuthFrame.ReturnType {
  const { platform } = parameters
  /** Identifies this signer as owner of the frame's key in this page. */
  const owner = {}
  const slot = createFrameSlot((isWanted) => openAuthFrame(parameters, owner, isWanted))
  /** Frames whose key was read once. At a later read, the key may be expired, or deleted by another tab. */
  const known = new WeakSet<Frame>()
  let held: { frame: Frame; bundle: string } | undefined
  let filling: Promise<void> = Promise.resolve()

  /** Uses the live frame, or a second one if the page has removed the first. */
  const withFrame = async <result>(request: (frame: Frame) => Promise<result>): Promise<result> => {
    try {
      return await request(await slot.open())
    } catch (error) {
      if (!(error instanceof BaseError) || error.code !== 'FRAME_LOST') throw error
      return request(await slot.open())
    }
  }
  /** Injects the bundle that `due` returns, after all earlier injections, and records it in `held`. */
  const fill = (frame: Frame, due: () => string | undefined): Promise<void> => {
    const filled = filling.then(async () => {
      const bundle = due()
      if (bundle === undefined) return
      await injectBundle(frame, { type: frameMessages.injectCredentialBundle, bundle, toError })
      held = { frame, bundle }
    })
    filling = filled.catch(() => undefined)
    return filled
  }

  /** The next sign-in may already have opened a frame. */
  const release = () => {
    if (!slot.isOpen()) platform.releaseFrameKeys?.(owner)
  }

  return {
    async publicKey() {
      const key = await withFrame(async (frame) => {
        if (known.has(frame)) return frame.request(frameMessages.initEmbeddedKey)
        known.add(frame)
        return frame.publicKey()
      })
      if (!isFrameKey(key)) throw new ResponseInvalidError('its frame key')
      return key
    },
    lendKey: () => withFrame((frame) => frame.request(lendingMessages.lendKey)),
    isKept: () => withFrame(async (frame) => frame.isKept?.() ?? true),
    inject: (bundle, signal) =>
      withFrame((frame) =>
        fill(frame, () => {
          signal.throwIfAborted()
          return bundle
        }),
      ),
    stamp: (body) =>
      withFrame(async (frame) => {
        // The page removed the frame that has the credential, so this frame opens the same bundle.
        await fill(frame, () => (held?.frame === frame ? undefined : held?.bundle))
        return stamp(frame, body)
      }),
    async close() {
      held = undefined
      await slot.close()
      release()
    },
    async reset(revoke) {
      held = undefined
      await slot.close(async (frame) => {
        await revoke?.((body) => stamp(frame, body, resetTimeoutMs)).catch(() => undefined)
        await frame.request(frameMessages.resetEmbeddedKey, undefined, resetTimeoutMs)
      })
      release()
    },
  }
}

async function openAuthFrame(
  { platform, endpoints, iframeConfig, succession }: createAuthFrame.Parameters,
  owner: object,
  isWanted: () => boolean,
): Promise<Frame> {
  const { authFrameUrl } = await endpoints.getConfig()
  if (!isWanted()) throw signedOutError()
  const { origin } = new URL(authFrameUrl)
  if (platform.claimFrameKey?.(origin, owner, succession) === false) throw signerConflict(origin)
  return platform.openFrame({
    url: authFrameUrl,
    elementId: iframeConfig?.iframeElementId ?? 'turnkey-iframe',
    containerId: iframeConfig?.iframeContainerId ?? 'alchemy-signer-iframe-container',
    timeoutMs,
  })
}

/**
 * Error of a second signer in a page: both signers would share one key, and would sign each other out or stamp for each
 * other.
 */
function signerConflict(origin: string): BaseError {
  return new BaseError('Another signer on this page already uses this session key.', {
    code: 'SIGNER_CONFLICT',
    metaMessages: [
      `Auth frame: ${origin}`,
      'Create one config or signer per page, outside of components. To use another, sign out or `destroy()` the first.',
    ],
  })
}

const toError = (cause?: unknown) => new BundleInjectionError(cause)

async function stamp(frame: Frame, body: string, withinMs?: number): Promise<Stamp> {
  const value = await frame.request(frameMessages.stampRequest, body, withinMs)
  if (typeof value !== 'string') throw new ResponseInvalidError('a stamp')
  return { stampHeaderName: headers.apiKeyStamp, stampHeaderValue: value }
}

export type FrameSlot = {
  /**
   * Returns the live frame: opens it if there is none, and again after it failed to open or was removed by the page.
   */
  open(): Promise<Frame>
  /** Whether a frame is open or opening. */
  isOpen(): boolean
  /** Removes the frame once `beforeRemoval` has finished; skips `beforeRemoval` while the frame is not ready. */
  close(beforeRemoval?: (frame: Frame) => Promise<unknown>): Promise<void>
}

export declare namespace createFrameSlot {
  /** Adds the frame to the page if it is still wanted. */
  type Parameters = (isWanted: () => boolean) => Promise<Frame>
  type ReturnType = FrameSlot
}

type Opening = { frame: Promise<Frame>; opened?: Frame; isReady: boolean }

/** Keeps one live frame at a time: two would share one element and one key. */
export function createFrameSlot(make: createFrameSlot.Parameters): createFrameSlot.ReturnType {
  let current: Opening | undefined
  let closed: Promise<void> = Promise.resolve()

  const start = async (self: () => Opening): Promise<Frame> => {
    // The previous frame may still be deleting its key.
    await closed
    const opening = self()
    const frame = await make(() => current === opening)
    opening.opened = frame
    try {
      await frame.publicKey()
    } catch (error) {
      frame.close()
      throw error
    }
    opening.isReady = true
    return frame
  }

  return {
    open() {
      if (current?.opened && current.isReady && !current.opened.isAlive()) {
        current.opened.close()
        current = undefined
      }
      if (current) return current.frame
      const opening: Opening = { frame: start(() => opening), isReady: false }
      current = opening
      opening.frame.catch(() => {
        if (current === opening) current = undefined
      })
      return opening.frame
    },
    isOpen: () => current !== undefined,
    close(beforeRemoval) {
      const closing = current
      current = undefined
      const before = closed
      closed = (async () => {
        await before
        const frame = closing?.opened
        // Best effort: signing out must work even if the frame does not.
        if (frame && closing?.isReady) await beforeRemoval?.(frame).catch(() => undefined)
        frame?.close()
      })()
      return closed
    },
  }
}
