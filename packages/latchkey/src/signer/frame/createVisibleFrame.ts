import type { Frame, Platform } from '../../web/platform.ts'
import type { PublicConfig } from '../../wire/signerApi.ts'
import { signedOutError } from '../errors/authErrors.ts'
import type { Endpoints } from '../types.ts'

export type OpenVisibleFrame = { frame: Frame; publicKey: string; close(): void }

export type VisibleFrame = {
  /** A new frame in the page's container, in place of one before, once it has said that it is ready. */
  open(parameters: { iframeContainerId: string; iframeElementId?: string | undefined }): Promise<OpenVisibleFrame>
  /** Removes the frame and what it shows. */
  close(): void
}

export declare namespace createVisibleFrame {
  type Parameters = {
    platform: Platform
    endpoints: Endpoints
    url: (config: PublicConfig) => string
    defaultElementId: string
    title: string
    timeoutMs: number
  }
  type ReturnType = VisibleFrame
}

/** A frame people look at: a new one each time, because its key is used up by what it is opened for. */
export function createVisibleFrame(parameters: createVisibleFrame.Parameters): createVisibleFrame.ReturnType {
  const { platform, endpoints, url, defaultElementId, title, timeoutMs } = parameters
  let current: Frame | undefined
  let turns = 0

  const close = () => {
    turns += 1
    current?.close()
    current = undefined
  }
  return {
    async open({ iframeContainerId: containerId, iframeElementId: elementId = defaultElementId }) {
      close()
      const turn = turns
      const config = await endpoints.getConfig()
      if (turn !== turns) throw signedOutError()
      const frame = platform.openFrame({ url: url(config), elementId, containerId, timeoutMs, visible: true, title })
      current = frame
      const closeThis = () => {
        frame.close()
        if (current === frame) current = undefined
      }
      try {
        return { frame, publicKey: await frame.publicKey(), close: closeThis }
      } catch (error) {
        closeThis()
        throw error
      }
    },
    close,
  }
}
