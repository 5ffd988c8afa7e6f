/** Signer types, as the header names them. A separate file, because it is part of a page's first load. */
export const signerTypes = {
  embedded: 'alchemy-signer',
  local: 'local',
  sessionKey: 'alchemy:session-key',
} as const
