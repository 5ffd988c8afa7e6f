import type { SignPayloadResponse, SignRawPayloadResult } from 'latchkey/wire'

/** r ‖ s ‖ v, 65 bytes: custody's recovery bit becomes the 27 or 28 that contracts expect. */
export function joinSignature({ r, s, v }: SignRawPayloadResult): SignPayloadResponse['signature'] {
  return `0x${r}${s}${v === '00' ? '1b' : '1c'}`
}
