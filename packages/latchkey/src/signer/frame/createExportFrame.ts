import { BaseError } from '../../core/errors/BaseError.ts'
import type { Frame, Platform } from '../../web/platform.ts'
import { frameMessages } from '../../wire/frames.ts'
import { exportInjectionError, responseInvalidError, signedOutError } from '../errors.ts'
import type { Endpoints, ExportWalletParameters } from '../types.ts'

export type ExportFrame = {
  /** A new frame in the page's container, in place of one before. */
  open(parameters: ExportWalletParameters): Promise<OpenExportFrame>
  /** Removes the frame and what it shows. */
  close(): void
}

export type OpenExportFrame = {
  /** Key to which the secret is sealed, for this export alone. */
  publicKey: string
  /** Lets the frame check, open and show an export bundle of this organization. */
  inject(kind: 'wallet' | 'key', bundle: string, organizationId: string): Promise<void>
  close(): void
}

export declare namespace createExportFrame {
  type Parameters = { platform: Platform; endpoints: Endpoints }
  type ReturnType = ExportFrame
}

const timeoutMs = 15_000
const defaultElementId = 'turnkey-export-iframe'

/** The export frame: a new one for each export, because its key is used up by it. */
export function createExportFrame({ platform, endpoints }: createExportFrame.Parameters): createExportFrame.ReturnType {
  let current: Frame | undefined
  let lastOpened = 0

  const close = () => {
    lastOpened += 1
    current?.close()
    current = undefined
  }
  return {
    async open({ iframeContainerId, iframeElementId = defaultElementId }) {
      close()
      const turn = lastOpened
      const { exportFrameUrl } = await endpoints.getConfig()
      if (turn !== lastOpened) throw signedOutError()
      const frame = platform.openFrame({
        url: exportFrameUrl,
        elementId: iframeElementId,
        containerId: iframeContainerId,
        timeoutMs,
        visible: true,
      })
      current = frame
      const closeThis = () => {
        frame.close()
        if (current === frame) current = undefined
      }
      const publicKey = await frame.publicKey().catch((error: unknown) => {
        closeThis()
        throw error
      })
      if (!/^04[0-9a-f]{128}$/i.test(publicKey)) {
        closeThis()
        throw responseInvalidError('its frame key')
      }
      return { publicKey, inject: (...parameters) => inject(frame, ...parameters), close: closeThis }
    },
    close,
  }
}

async function inject(frame: Frame, kind: 'wallet' | 'key', bundle: string, organizationId: string): Promise<void> {
  const message = kind === 'wallet' ? frameMessages.injectWalletExportBundle : frameMessages.injectKeyExportBundle
  const extra = { organizationId, ...(kind === 'key' && { keyFormat: 'HEXADECIMAL' }) }
  let answer: unknown
  try {
    answer = await frame.request(message, bundle, timeoutMs, extra)
  } catch (error) {
    if (error instanceof BaseError && error.code === 'FRAME_FAILED') throw exportInjectionError(error)
    throw error
  }
  if (answer !== true) throw exportInjectionError()
}
