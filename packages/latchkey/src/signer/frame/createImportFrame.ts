import { BaseError } from '../../core/errors/BaseError.ts'
import type { Frame, Platform } from '../../web/platform.ts'
import { frameMessages } from '../../wire/frames.ts'
import { ImportInjectionError, ResponseInvalidError } from '../errors/custodyErrors.ts'
import type { Endpoints, ImportWalletParameters, User } from '../types.ts'
import { createVisibleFrame } from './createVisibleFrame.ts'

export type ImportFrame = {
  /** A new frame in the page's container, in place of one before. */
  open(parameters: ImportWalletParameters): Promise<OpenImportFrame>
  /** Removes the frame and what was typed into it. */
  close(): void
}

export type OpenImportFrame = {
  /** Gives the frame the key to seal the secret to; it then shows its field. */
  inject(bundle: string, user: User): Promise<void>
  /** What was typed, sealed: JSON text for the key-custody service. */
  extract(secret: 'phrase' | 'key'): Promise<string>
  close(): void
}

export declare namespace createImportFrame {
  type Parameters = { platform: Platform; endpoints: Endpoints }
  type ReturnType = ImportFrame
}

const timeoutMs = 15_000

/** The import frame: a new one for each import. */
export function createImportFrame(parameters: createImportFrame.Parameters): createImportFrame.ReturnType {
  const visible = createVisibleFrame({
    ...parameters,
    url: ({ importFrameUrl }) => importFrameUrl,
    defaultElementId: 'turnkey-import-iframe',
    title: 'Wallet import',
    timeoutMs,
  })
  return {
    async open(where) {
      const { frame, close } = await visible.open(where)
      return { inject: (...given) => inject(frame, ...given), extract: (secret) => extract(frame, secret), close }
    },
    close: visible.close,
  }
}

async function inject(frame: Frame, bundle: string, { orgId, userId }: User): Promise<void> {
  const extra = { organizationId: orgId, userId }
  let answer: unknown
  try {
    answer = await frame.request(frameMessages.injectImportBundle, bundle, timeoutMs, extra)
  } catch (error) {
    if (error instanceof BaseError && error.code === 'FRAME_FAILED') throw new ImportInjectionError(error)
    throw error
  }
  if (answer !== true) throw new ImportInjectionError()
}

async function extract(frame: Frame, secret: 'phrase' | 'key'): Promise<string> {
  const sealed =
    secret === 'phrase'
      ? await frame.request(frameMessages.extractWalletEncryptedBundle)
      : await frame.request(frameMessages.extractKeyEncryptedBundle, undefined, timeoutMs, {
          keyFormat: 'HEXADECIMAL',
        })
  if (typeof sealed !== 'string' || sealed === '') throw new ResponseInvalidError('what was typed')
  return sealed
}
