import { hex } from '@scure/base'
import { ownerProofPattern, paperKeyMessages } from 'latchkey-protocol'
import type { Handle } from '../channel/createQueue.ts'
import { messageText } from '../channel/message.ts'
import { FrameError } from '../FrameError.ts'
import { hashMessage } from '../sign/ethereumKey.ts'
import type { PaperKey } from './createPaperKey.ts'
import type { PaperKeyView } from './createPaperKeyView.ts'

/**
 * Returns a handler of the page's messages. Once the user has written the phrase down, the key signs proofs of an
 * owner, but nothing else.
 */
export function createPaperKeyHandler({ words, key }: PaperKey, view: Pick<PaperKeyView, 'confirm'>): Handle {
  let confirming: Promise<void> | undefined
  let isConfirmed = false
  return async ({ type, value }) => {
    if (type === paperKeyMessages.confirm) {
      confirming ??= view.confirm(words).then(() => {
        isConfirmed = true
      })
      return { later: confirming.then(() => ({ type: paperKeyMessages.confirmed, value: key.address })) }
    }
    if (type !== paperKeyMessages.prove) return null
    const text = messageText(value, 'the proof of an owner')
    if (!isConfirmed) throw new FrameError('the user has not written the paper key down yet')
    if (!ownerProofPattern.test(text)) throw new FrameError('a paper key signs the proof of an owner only')
    const { r, s, yParity } = key.sign(hashMessage(text))
    return { type: paperKeyMessages.proven, value: `0x${hex.encode(r)}${hex.encode(s)}${yParity === 0 ? '1b' : '1c'}` }
  }
}
