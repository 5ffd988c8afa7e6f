/** Signer types, as the header names them. A file of its own, since the first load of a page needs it. */
export const signerTypes = {
  embedded: 'alchemy-signer',
  local: 'local',
  sessionKey: 'alchemy:session-key',
} as const
