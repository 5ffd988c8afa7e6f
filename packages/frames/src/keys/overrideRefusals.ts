import { signingMessages } from 'latchkey-protocol'

const reason = 'no frame takes a key from its page, which could install one that it knows'

/** Messages with which a page could replace the frame's key, and the reason why the frame refuses each. */
export const overrideRefusals: Readonly<Record<string, string>> = {
  [signingMessages.setEmbeddedKeyOverride]: reason,
  [signingMessages.resetToDefaultEmbeddedKey]: reason,
}
