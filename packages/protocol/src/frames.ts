/** Messages between the page and the hosted frames. */

export const frameMessages = {
  /** page → frame, transfers a MessagePort; iframe-stamper 2.1 and later. */
  initChannel: 'TURNKEY_INIT_MESSAGE_CHANNEL',
  /** frame → page, unsolicited; value: embedded public key, 130 hex digits. */
  publicKeyReady: 'PUBLIC_KEY_READY',
  injectCredentialBundle: 'INJECT_CREDENTIAL_BUNDLE',
  injectRecoveryBundle: 'INJECT_RECOVERY_BUNDLE',
  bundleInjected: 'BUNDLE_INJECTED',
  stampRequest: 'STAMP_REQUEST',
  stamp: 'STAMP',
  getEmbeddedPublicKey: 'GET_EMBEDDED_PUBLIC_KEY',
  embeddedPublicKey: 'EMBEDDED_PUBLIC_KEY',
  resetEmbeddedKey: 'RESET_EMBEDDED_KEY',
  embeddedKeyReset: 'EMBEDDED_KEY_RESET',
  initEmbeddedKey: 'INIT_EMBEDDED_KEY',
  injectWalletExportBundle: 'INJECT_WALLET_EXPORT_BUNDLE',
  injectKeyExportBundle: 'INJECT_KEY_EXPORT_BUNDLE',
  injectImportBundle: 'INJECT_IMPORT_BUNDLE',
  extractWalletEncryptedBundle: 'EXTRACT_WALLET_ENCRYPTED_BUNDLE',
  extractKeyEncryptedBundle: 'EXTRACT_KEY_ENCRYPTED_BUNDLE',
  /** value: JSON text `{"encappedPublic","ciphertext"}`. */
  encryptedBundleExtracted: 'ENCRYPTED_BUNDLE_EXTRACTED',
  /** value: JSON text `{"styles":{…}}`. */
  applySettings: 'APPLY_SETTINGS',
  settingsApplied: 'SETTINGS_APPLIED',
  error: 'ERROR',
} as const

/** Additional messages to the auth frame for browsers that keep no storage for it. */
export const lendingMessages = {
  lendKey: 'LATCHKEY_LEND_KEY',
  /** value: `LentKey`. */
  keyLent: 'LATCHKEY_KEY_LENT',
} as const

/** Additional messages of the page `/export-and-sign` for published frame clients; our own client sends none of them. */
export const signingMessages = {
  /** value: JSON text `{"message","type"}`; `address`: of the key that is to sign. */
  signMessage: 'SIGN_MESSAGE',
  messageSigned: 'MESSAGE_SIGNED',
  /** value: JSON text `{"transaction","type"}`. */
  signTransaction: 'SIGN_TRANSACTION',
  transactionSigned: 'TRANSACTION_SIGNED',
  clearEmbeddedPrivateKey: 'CLEAR_EMBEDDED_PRIVATE_KEY',
  embeddedPrivateKeyCleared: 'EMBEDDED_PRIVATE_KEY_CLEARED',
  setEmbeddedKeyOverride: 'SET_EMBEDDED_KEY_OVERRIDE',
  resetToDefaultEmbeddedKey: 'RESET_TO_DEFAULT_EMBEDDED_KEY',
} as const

export type FrameMessageType =
  | (typeof frameMessages)[keyof typeof frameMessages]
  | (typeof lendingMessages)[keyof typeof lendingMessages]

/**
 * The session key of an auth frame: a P-256 `CryptoKeyPair` whose private half cannot be exported, and its compressed point
 * in hex.
 */
export type LentKey = { publicKey: string; keyPair: unknown }

/** `organizationId`: with an export or import bundle; `userId`: with an import bundle; `keyFormat`: of a private key. */
export type FrameMessage = {
  type: string
  value?: unknown
  requestId?: string
  organizationId?: string
  userId?: string
  /** In `PUBLIC_KEY_READY`: the browser keeps nothing for the frame, so a reload loses its key. */
  storage?: 'memory'
  keyFormat?: string
  /** Format of the key that an export bundle holds or that signs. */
  address?: string
}

/** Path of the page that signs, on the export frame's origin. */
export const signingPagePath = '/export-and-sign'

/** Query parameter of a frame's URL: id of the project whose pages embed it. */
export const frameProjectParameter = 'project'

/** HPKE `info` of every bundle (RFC 9180, DHKEM P-256, HKDF-SHA256, AES-256-GCM). */
export const hpkeInfo = 'turnkey_hpke'

/** Text of an `ERROR` after `Error: ` when the user declines the request in the frame. */
export const frameDeclined = 'the person declined'
