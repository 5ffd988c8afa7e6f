import type { FrameMessageType } from 'latchkey-protocol'
import { BaseError } from '../../../core/errors/BaseError.ts'
import type { Frame, FrameExtra } from '../../../web/platform.ts'

export declare namespace injectBundle {
  type Parameters = {
    type: FrameMessageType
    bundle: string
    extra?: FrameExtra | undefined
    /** Creates the error for a bundle that the frame refuses. */
    toError: (cause?: unknown) => BaseError
  }
}

/** Sends an encrypted bundle to a frame, which verifies and decrypts it. */
export async function injectBundle(
  frame: Frame,
  { type, bundle, extra, toError }: injectBundle.Parameters,
): Promise<void> {
  let isOpened: unknown
  try {
    isOpened = await frame.request(type, bundle, undefined, extra)
  } catch (error) {
    if (error instanceof BaseError && error.code === 'FRAME_FAILED') throw toError(error)
    throw error
  }
  if (isOpened !== true) throw toError()
}
