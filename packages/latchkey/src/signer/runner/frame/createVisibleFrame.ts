import { paperKeyPagePath } from 'latchkey-protocol'
import type { Frame, Platform } from '../../../web/platform.ts'
import { signedOutError } from '../../errors/authErrors.ts'
import type { Endpoints } from '../../types.ts'

export type OpenVisibleFrame = { frame: Frame; publicKey: string; close(): void }

export type VisibleFrame = {
  /** Opens a new frame in the page's container, replacing an earlier one, and waits until it reports ready. */
  open(parameters: { iframeContainerId: string; iframeElementId?: string | undefined }): Promise<OpenVisibleFrame>
  /** Removes the frame and its content. */
  close(): void
}

export declare namespace createVisibleFrame {
  type Parameters = { platform: Platform; endpoints: Endpoints; kind: keyof typeof kinds }
  type ReturnType = VisibleFrame
}

type Kind = {
  url: 'exportFrameUrl' | 'importFrameUrl'
  /** Path of another page on the same origin. */
  path?: string
  defaultElementId: string
  title: string
}

const kinds = {
  export: { url: 'exportFrameUrl', defaultElementId: 'turnkey-export-iframe', title: 'Wallet export' },
  import: { url: 'importFrameUrl', defaultElementId: 'turnkey-import-iframe', title: 'Wallet import' },
  paperKey: {
    url: 'exportFrameUrl',
    path: paperKeyPagePath,
    defaultElementId: 'latchkey-paper-key',
    title: 'Paper key',
  },
} as const satisfies Record<string, Kind>

const timeoutMs = 15_000

/** Creates frames shown to the user: a new one for each use, because its key is single-use. */
export function createVisibleFrame(parameters: createVisibleFrame.Parameters): createVisibleFrame.ReturnType {
  const { platform, endpoints, kind } = parameters
  const { url, path, defaultElementId, title }: Kind = kinds[kind]
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
      const page = new URL(config[url])
      if (path) page.pathname = path
      const frame = platform.openFrame({ url: page.href, elementId, containerId, timeoutMs, visible: true, title })
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
