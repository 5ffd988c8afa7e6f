import type { Frame, Platform } from '../../../web/platform.ts'
import { signedOutError } from '../../errors/authErrors.ts'
import type { Endpoints } from '../../types.ts'

export type OpenVisibleFrame = { frame: Frame; publicKey: string; close(): void }

type OpenParameters = {
  iframeContainerId: string
  iframeElementId?: string | undefined
  /** Name of the frame for screen readers. @default the name for the frame's purpose */
  title?: string | undefined
  /** Returns the URL of another page on the frame's origin. */
  toUrl?: ((frameUrl: string) => string) | undefined
}

export type VisibleFrame = {
  /** Opens a new frame in the page's container, replacing an earlier one, and waits until it reports ready. */
  open(parameters: OpenParameters): Promise<OpenVisibleFrame>
  /** Removes the frame and its content. */
  close(): void
}

export declare namespace createVisibleFrame {
  type Parameters = { platform: Platform; endpoints: Endpoints; kind: keyof typeof kinds }
  type ReturnType = VisibleFrame
}

const kinds = {
  export: { url: 'exportFrameUrl', defaultElementId: 'turnkey-export-iframe', title: 'Wallet export' },
  import: { url: 'importFrameUrl', defaultElementId: 'turnkey-import-iframe', title: 'Wallet import' },
} as const

const timeoutMs = 15_000

/** Creates frames that the user sees. Each use opens a new frame, because a frame's key is single-use. */
export function createVisibleFrame(parameters: createVisibleFrame.Parameters): createVisibleFrame.ReturnType {
  const { platform, endpoints, kind } = parameters
  const { url, defaultElementId, title } = kinds[kind]
  let current: Frame | undefined
  let turns = 0

  const close = () => {
    turns += 1
    current?.close()
    current = undefined
  }
  return {
    async open({
      iframeContainerId: containerId,
      iframeElementId: elementId = defaultElementId,
      toUrl = String,
      ...more
    }) {
      close()
      const turn = turns
      const config = await endpoints.getConfig()
      if (turn !== turns) throw signedOutError()
      const page = toUrl(config[url])
      const frame = platform.openFrame({ url: page, elementId, containerId, timeoutMs, visible: true, title, ...more })
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
