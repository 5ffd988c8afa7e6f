import { signingMessages } from 'latchkey-protocol'

const reason = 'no frame takes a key from its page, which could install one that it knows'

/** Why no frame lets its page choose the key that bundles are sealed to, by the message. */
export const overrideRefusals: Readonly<Record<string, string>> = {
  [signingMessages.setEmbeddedKeyOverride]: reason,
  [signingMessages.resetToDefaultEmbeddedKey]: reason,
}
