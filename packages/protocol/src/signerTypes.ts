/** What the header names of a signer. Apart from the other headers, since a page says it in its first load. */
export const signerTypes = {
  embedded: 'alchemy-signer',
  local: 'local',
  sessionKey: 'alchemy:session-key',
} as const
