import { BaseError } from '../../core/errors/BaseError.ts'
import type { Frame, Platform } from '../../web/platform.ts'
import { frameMessages } from '../../wire/frames.ts'
import { headers } from '../../wire/headers.ts'
import type { Stamper } from '../custody/createCustodyClient.ts'
import { bundleInjectionError, responseInvalidError, signedOutError } from '../errors.ts'
import type { Endpoints, IframeConfig } from '../types.ts'

export type AuthFrame = {
  /** Key to which a new credential is sealed. Opens the frame when there is none. */
  publicKey(): Promise<string>
  /** Gives the frame a credential bundle. `signal` is asked last, so that a stale one cannot replace a newer. */
  inject(bundle: string, signal: AbortSignal): Promise<void>
  stamp: Stamper
  /** Removes the frame; with `forget` its key is deleted first, and no bundle opens any more. */
  close(options: { forget: boolean }): Promise<void>
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
/** Signing out waits no longer than this for the frame to delete its key. */
const forgetTimeoutMs = 3_000

type Opening = { frame: Promise<Frame>; opened?: Frame; answered: boolean; fresh: boolean }

/** The auth frame: opened when first needed, and anew after it was closed or failed to open. */
export function createAuthFrame(parameters: createAuthFrame.Parameters): createAuthFrame.ReturnType {
  const { platform, endpoints, iframeConfig } = parameters
  let current: Opening | undefined
  let closed: Promise<void> = Promise.resolve()

  const open = (): Opening => {
    if (current) return current
    const opening: Opening = { frame: start(() => opening), answered: false, fresh: true }
    current = opening
    opening.frame.catch(() => {
      if (current === opening) current = undefined
    })
    return opening
  }
  const start = async (self: () => Opening): Promise<Frame> => {
    // The frame before may still be deleting its key: two of them at once would share one element and one key.
    await closed
    const { authFrameUrl } = await endpoints.getConfig()
    const opening = self()
    if (current !== opening) throw signedOutError()
    const frame = platform.openFrame({
      url: authFrameUrl,
      elementId: iframeConfig?.iframeElementId ?? 'turnkey-iframe',
      containerId: iframeConfig?.iframeContainerId ?? 'alchemy-signer-iframe-container',
      timeoutMs,
    })
    opening.opened = frame
    try {
      await frame.publicKey()
    } catch (error) {
      frame.close()
      throw error
    }
    opening.answered = true
    return frame
  }

  return {
    async publicKey() {
      const opening = open()
      const frame = await opening.frame
      // The key lives 48 hours and another tab may have deleted it: only a frame just opened is believed as it is.
      const key = opening.fresh ? await frame.publicKey() : await frame.request(frameMessages.initEmbeddedKey)
      opening.fresh = false
      if (typeof key !== 'string' || !/^04[0-9a-f]{128}$/i.test(key)) throw responseInvalidError('its frame key')
      return key
    },
    async inject(bundle, signal) {
      const frame = await open().frame
      signal.throwIfAborted()
      let answer: unknown
      try {
        answer = await frame.request(frameMessages.injectCredentialBundle, bundle)
      } catch (error) {
        if (error instanceof BaseError && error.code === 'FRAME_FAILED') throw bundleInjectionError(error)
        throw error
      }
      if (answer !== true) throw bundleInjectionError()
    },
    async stamp(body) {
      const frame = await open().frame
      const value = await frame.request(frameMessages.stampRequest, body)
      if (typeof value !== 'string') throw responseInvalidError('a stamp')
      return { stampHeaderName: headers.apiKeyStamp, stampHeaderValue: value }
    },
    close({ forget }) {
      const closing = current
      current = undefined
      const before = closed
      closed = (async () => {
        await before
        const frame = closing?.opened
        // Best effort: signing out must work when the frame does not.
        if (forget && closing?.answered) {
          await frame?.request(frameMessages.resetEmbeddedKey, undefined, forgetTimeoutMs).catch(() => undefined)
        }
        frame?.close()
      })()
      return closed
    },
  }
}
