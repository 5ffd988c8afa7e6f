import { signingMessages } from 'latchkey-protocol'

const reason = 'no frame takes a key from its page, which could install one that it knows'

/** Reasons, by message, why pages cannot choose the key that bundles are sealed to. */
export const overrideRefusals: Readonly<Record<string, string>> = {
  [signingMessages.setEmbeddedKeyOverride]: reason,
  [signingMessages.resetToDefaultEmbeddedKey]: reason,
}
