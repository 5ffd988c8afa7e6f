import { BaseError } from '../../core/errors/BaseError.ts'
import type { Frame, Platform } from '../../web/platform.ts'
import { frameMessages } from '../../wire/frames.ts'
import { ExportInjectionError, ResponseInvalidError } from '../errors/custodyErrors.ts'
import type { Endpoints, ExportWalletParameters } from '../types.ts'
import { createVisibleFrame } from './createVisibleFrame.ts'
import { isFrameKey } from './isFrameKey.ts'

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

/** The export frame: a new one for each export, because its key is used up by it. */
export function createExportFrame(parameters: createExportFrame.Parameters): createExportFrame.ReturnType {
  const visible = createVisibleFrame({
    ...parameters,
    url: ({ exportFrameUrl }) => exportFrameUrl,
    defaultElementId: 'turnkey-export-iframe',
    title: 'Wallet export',
    timeoutMs,
  })
  return {
    async open(where) {
      const { frame, publicKey, close } = await visible.open(where)
      if (isFrameKey(publicKey)) return { publicKey, inject: (...given) => inject(frame, ...given), close }
      close()
      throw new ResponseInvalidError('its frame key')
    },
    close: visible.close,
  }
}

async function inject(frame: Frame, kind: 'wallet' | 'key', bundle: string, organizationId: string): Promise<void> {
  const message = kind === 'wallet' ? frameMessages.injectWalletExportBundle : frameMessages.injectKeyExportBundle
  const extra = { organizationId, ...(kind === 'key' && { keyFormat: 'HEXADECIMAL' }) }
  let answer: unknown
  try {
    answer = await frame.request(message, bundle, timeoutMs, extra)
  } catch (error) {
    if (error instanceof BaseError && error.code === 'FRAME_FAILED') throw new ExportInjectionError(error)
    throw error
  }
  if (answer !== true) throw new ExportInjectionError()
}
