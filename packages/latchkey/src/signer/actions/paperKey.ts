import { paperKeyMessages, paperKeyPagePath, signerTypes } from 'latchkey-protocol'
import { type Address, getAddress, type Hex, isHex } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import { AbortedError } from '../errors/authErrors.ts'
import { ResponseInvalidError } from '../errors/custodyErrors.ts'
import { isAddress } from '../guards.ts'
import type { CreatePaperKeyParameters, PaperKey } from '../PaperKey.ts'
import type { SignerRunner } from '../runner/runMachine.ts'

/** Timeout of one hour, because users need minutes to write 12 words down. */
const writingMs = 3_600_000

/**
 * Creates a key that the user writes on paper, in a frame that this page cannot read. The frame has the export frame's
 * origin. Resolves once the user has written the words down.
 *
 * @throws `ABORTED`, `FRAME_FAILED`, `FRAME_TIMEOUT`, `FRAME_LOST`.
 */
export async function createPaperKey(
  { context }: SignerRunner,
  { signal, iframeContainerId, iframeElementId = 'latchkey-paper-key' }: CreatePaperKeyParameters,
): Promise<PaperKey> {
  const { frame, close } = await context.exportFrame.open({
    iframeContainerId,
    iframeElementId,
    title: 'Paper key',
    toUrl: toPaperKeyPage,
  })
  const abort = () => close()
  signal?.addEventListener('abort', abort)
  try {
    const address = toAddress(await frame.request(paperKeyMessages.confirm, undefined, writingMs))
    const prove = async (message: unknown): Promise<Hex> => {
      if (typeof message !== 'string') throw proofsOnlyError()
      const signature = await frame.request(paperKeyMessages.prove, message)
      if (isHex(signature)) return signature
      throw new ResponseInvalidError('the proof of a paper key')
    }
    return {
      owner: {
        signerType: signerTypes.local,
        signsMessagesOnly: true,
        getAddress: async () => address,
        signMessage: ({ message }) => prove(message),
        signTypedData: () => Promise.reject(proofsOnlyError()),
      },
      address,
      close,
    }
  } catch (error) {
    close()
    throw signal?.aborted ? new AbortedError('The paper key was cancelled.') : error
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

/** Returns the URL of the paper-key page, with the export frame's origin and query. */
function toPaperKeyPage(exportFrameUrl: string): string {
  const page = new URL(exportFrameUrl)
  page.pathname = paperKeyPagePath
  return page.href
}

function toAddress(value: unknown): Address {
  if (isAddress(value)) return getAddress(value)
  throw new ResponseInvalidError('the address of a paper key')
}

function proofsOnlyError(): BaseError {
  return new BaseError('A paper key proves that it can sign, and signs nothing else while it is made.', {
    code: 'SIGNATURE_UNSUPPORTED',
    metaMessages: ['Pass it to `rotateOwner`. To send with it, use the words in a wallet or the exit kit.'],
  })
}
