import { BaseError } from '../../core/errors/BaseError.ts'
import type { Frame, Platform } from '../../web/platform.ts'
import type { Stamp } from '../../wire/custody.ts'
import { frameMessages } from '../../wire/frames.ts'
import { headers } from '../../wire/headers.ts'
import type { Stamper } from '../custody/createCustodyClient.ts'
import { BundleInjectionError, signedOutError } from '../errors/authErrors.ts'
import { ResponseInvalidError } from '../errors/custodyErrors.ts'
import type { Endpoints, IframeConfig } from '../types.ts'
import { createFrameSlot } from './createFrameSlot.ts'
import { isFrameKey } from './isFrameKey.ts'

export type AuthFrame = {
  /** Key to which a new credential is sealed. Opens the frame when there is none. */
  publicKey(): Promise<string>
  /** Gives the frame a credential bundle. `signal` is asked last, so that a stale one cannot replace a newer. */
  inject(bundle: string, signal: AbortSignal): Promise<void>
  stamp: Stamper
  /** Removes the frame. */
  close(): Promise<void>
  /** Removes the frame and its key, so that no bundle opens any more; before that `revoke` may stamp a last time. */
  forget(revoke?: (stamp: Stamper) => Promise<unknown>): Promise<void>
}

export declare namespace createAuthFrame {
  type Parameters = {
    platform: Platform
    endpoints: Endpoints
    iframeConfig?: IframeConfig | undefined
  }
  type ReturnType = AuthFrame
}

const timeoutMs = 15_000
/** Signing out waits no longer than this for the frame to stamp a last time, and to delete its key. */
const forgetTimeoutMs = 3_000

/** The auth frame: opened when first needed, and anew after it was closed, failed to open or the page removed it. */
export function createAuthFrame(parameters: createAuthFrame.Parameters): createAuthFrame.ReturnType {
  const slot = createFrameSlot((isWanted) => openAuthFrame(parameters, isWanted))
  /** A frame is asked for its key once; after that it may have expired, or another tab may have deleted it. */
  const asked = new WeakSet<Frame>()
  let held: { frame: Frame; bundle: string } | undefined
  let filling: Promise<void> = Promise.resolve()

  /** Asks the live frame; a second one where the page took the first away meanwhile. */
  const ask = async <answer>(request: (frame: Frame) => Promise<answer>): Promise<answer> => {
    try {
      return await request(await slot.open())
    } catch (error) {
      if (!(error instanceof BaseError) || error.code !== 'FRAME_LOST') throw error
      return request(await slot.open())
    }
  }
  /** Gives a frame the bundle that is due when its turn comes: what is held is what the frame was given last. */
  const fill = (frame: Frame, due: () => string | undefined): Promise<void> => {
    const filled = filling.then(async () => {
      const bundle = due()
      if (bundle === undefined) return
      await inject(frame, bundle)
      held = { frame, bundle }
    })
    filling = filled.catch(() => undefined)
    return filled
  }

  return {
    async publicKey() {
      const key = await ask(async (frame) => {
        if (asked.has(frame)) return frame.request(frameMessages.initEmbeddedKey)
        asked.add(frame)
        return frame.publicKey()
      })
      if (!isFrameKey(key)) throw new ResponseInvalidError('its frame key')
      return key
    },
    inject: (bundle, signal) =>
      ask((frame) =>
        fill(frame, () => {
          signal.throwIfAborted()
          return bundle
        }),
      ),
    stamp: (body) =>
      ask(async (frame) => {
        // The frame that held the credential is gone from the page: this one opens the same bundle again.
        await fill(frame, () => (held?.frame === frame ? undefined : held?.bundle))
        return stamp(frame, body)
      }),
    close() {
      held = undefined
      return slot.close()
    },
    forget(revoke) {
      held = undefined
      return slot.close(async (frame) => {
        await revoke?.((body) => stamp(frame, body, forgetTimeoutMs)).catch(() => undefined)
        await frame.request(frameMessages.resetEmbeddedKey, undefined, forgetTimeoutMs)
      })
    },
  }
}

async function openAuthFrame(
  { platform, endpoints, iframeConfig }: createAuthFrame.Parameters,
  isWanted: () => boolean,
): Promise<Frame> {
  const { authFrameUrl } = await endpoints.getConfig()
  if (!isWanted()) throw signedOutError()
  return platform.openFrame({
    url: authFrameUrl,
    elementId: iframeConfig?.iframeElementId ?? 'turnkey-iframe',
    containerId: iframeConfig?.iframeContainerId ?? 'alchemy-signer-iframe-container',
    timeoutMs,
  })
}

async function inject(frame: Frame, bundle: string): Promise<void> {
  let answer: unknown
  try {
    answer = await frame.request(frameMessages.injectCredentialBundle, bundle)
  } catch (error) {
    if (error instanceof BaseError && error.code === 'FRAME_FAILED') throw new BundleInjectionError(error)
    throw error
  }
  if (answer !== true) throw new BundleInjectionError()
}

async function stamp(frame: Frame, body: string, withinMs?: number): Promise<Stamp> {
  const value = await frame.request(frameMessages.stampRequest, body, withinMs)
  if (typeof value !== 'string') throw new ResponseInvalidError('a stamp')
  return { stampHeaderName: headers.apiKeyStamp, stampHeaderValue: value }
}
