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
  /** Returns the key to which the service encrypts a new credential. Opens the frame if necessary. */
  publicKey(): Promise<string>
  /**
   * Sends a credential bundle to the frame. Checks `signal` last, so that a stale bundle cannot replace a newer bundle.
   */
  inject(bundle: string, signal: AbortSignal): Promise<void>
  stamp: Stamper
  /** Requests the credential's key from the frame as a non-extractable `CryptoKey`. */
  lendKey(): Promise<unknown>
  /** Whether the frame's key survives a reload: false if the browser blocks storage of third-party frames. */
  isKept(): Promise<boolean>
  /** Removes the frame. */
  close(): Promise<void>
  /**
   * Deletes the frame's key, so that its bundles can no longer be decrypted, and removes the frame. `revoke` may stamp
   * requests before the deletion.
   */
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
/** Longest wait at sign-out for the frame's last stamp and the deletion of its key. */
const resetTimeoutMs = 3_000

/**
 * Creates the auth frame. Opens it when first needed, and again after it was closed, failed to open or was removed by
 * the page.
 */
export function createAuthFrame(parameters: createAuthFrame.Parameters): createAuthFrame.ReturnType {
  const { platform } = parameters
  /** Identifies this signer as owner of the frame's key in this page. */
  const owner = {}
  const slot = createFrameSlot((isWanted) => openAuthFrame(parameters, owner, isWanted))
  /** Frames whose key was already read. The key may have expired since, or another tab may have deleted it. */
  const known = new WeakSet<Frame>()
  let held: { frame: Frame; bundle: string } | undefined
  let filling: Promise<void> = Promise.resolve()

  /** Sends a request to the open frame. If the page removed that frame, opens another and retries once. */
  const withFrame = async <result>(request: (frame: Frame) => Promise<result>): Promise<result> => {
    try {
      return await request(await slot.open())
    } catch (error) {
      if (!(error instanceof BaseError) || error.code !== 'FRAME_LOST') throw error
      return request(await slot.open())
    }
  }
  /** Injects the bundle that `due` returns into the frame, after all earlier injections. */
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

  /** Releases the key, unless the next sign-in has already opened a frame. */
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
        // If the page removed the frame with the credential, injects the same bundle into the new frame.
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
 * Returns the error for a second signer in a page. Two signers would share one key, so they could stamp for each other
 * or sign each other out.
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
   * Returns the open frame. Opens a frame if there is none, or if the last one failed to open or was removed by the
   * page.
   */
  open(): Promise<Frame>
  /** Whether a frame is open or opening. */
  isOpen(): boolean
  /** Removes the frame after `beforeRemoval`, which is skipped if the frame is not ready. */
  close(beforeRemoval?: (frame: Frame) => Promise<unknown>): Promise<void>
}

export declare namespace createFrameSlot {
  /** Adds the frame to the page if `isWanted` still returns true at that time. */
  type Parameters = (isWanted: () => boolean) => Promise<Frame>
  type ReturnType = FrameSlot
}

type Opening = { frame: Promise<Frame>; opened?: Frame; isReady: boolean }

/** Manages at most one open frame: two frames would share one element and one key. */
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
        // Best effort, because the user must be able to sign out even if the frame fails.
        if (frame && closing?.isReady) await beforeRemoval?.(frame).catch(() => undefined)
        frame?.close()
      })()
      return closed
    },
  }
}
