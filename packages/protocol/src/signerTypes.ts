/** Signer types, by their names in the header. In a separate file, because it is part of a page's first load. */
export const signerTypes = {
  embedded: 'alchemy-signer',
  local: 'local',
  sessionKey: 'alchemy:session-key',
} as const
