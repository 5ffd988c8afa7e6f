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

/** Additional messages to the auth frame for browsers that store nothing for it. */
export const lendingMessages = {
  lendKey: 'LATCHKEY_LEND_KEY',
  /** value: `LentKey`. */
  keyLent: 'LATCHKEY_KEY_LENT',
} as const

/** Additional messages of the page `/export-and-sign` for published frame clients. Our own client never sends them. */
export const signingMessages = {
  /** value: JSON text `{"message","type"}`; `address`: address of the signing key. */
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

/** Messages of the page `/paper-key`, which makes a key, shows its phrase once and proves that it can sign. */
export const paperKeyMessages = {
  /** Replied to once the user has written the phrase down. */
  confirm: 'LATCHKEY_CONFIRM_PAPER_KEY',
  /** value: address of the key. */
  confirmed: 'LATCHKEY_PAPER_KEY_CONFIRMED',
  /** value: text of `toOwnerProof`. */
  prove: 'LATCHKEY_PROVE_PAPER_KEY',
  /** value: signature of the text (EIP-191). */
  proven: 'LATCHKEY_PAPER_KEY_PROVEN',
} as const

export type FrameMessageType =
  | (typeof frameMessages)[keyof typeof frameMessages]
  | (typeof lendingMessages)[keyof typeof lendingMessages]
  | (typeof paperKeyMessages)[keyof typeof paperKeyMessages]

/**
 * The session key of an auth frame: a P-256 `CryptoKeyPair` whose private half cannot be exported, and its compressed point
 * in hex.
 */
export type LentKey = { publicKey: string; keyPair: unknown }

/**
 * `organizationId`: only with an export or import bundle; `userId`: only with an import bundle; `keyFormat`: only for a
 * private key.
 */
export type FrameMessage = {
  type: string
  value?: unknown
  requestId?: string
  organizationId?: string
  userId?: string
  /** In `PUBLIC_KEY_READY`: the browser stores nothing for the frame, so a reload loses its key. */
  storage?: 'memory'
  keyFormat?: string
  /** Address of the key in an export bundle, or of the key that signs. */
  address?: string
}

/** Path of the page that signs, on the export frame's origin. */
export const signingPagePath = '/export-and-sign'

/** Path of the page that makes paper keys, on the export frame's origin. */
export const paperKeyPagePath = '/paper-key'

/**
 * Returns the text by which a new owner of an account proves that it can sign. `nonce`: 16 random bytes.
 *
 * @example
 * ```ts
 * import { toOwnerProof } from 'latchkey-protocol'
 *
 * const account = '0x1111111111111111111111111111111111111111'
 * console.log(toOwnerProof({ account, chainId: 1, nonce: '0x00112233445566778899aabbccddeeff' }))
 * ```
 */
export function toOwnerProof({ account, chainId, nonce }: { account: string; chainId: number; nonce: string }): string {
  return `Prove that this key can sign for the account ${account} on chain ${chainId}.\n\nNonce: ${nonce}`
}

/** Pattern of the texts of `toOwnerProof`. */
export const ownerProofPattern =
  /^Prove that this key can sign for the account 0x[0-9a-fA-F]{40} on chain [1-9]\d{0,15}\.\n\nNonce: 0x[0-9a-f]{32}$/

/** Query parameter of a frame's URL: id of the project whose pages embed it. */
export const frameProjectParameter = 'project'

/** HPKE `info` of every bundle (RFC 9180, DHKEM P-256, HKDF-SHA256, AES-256-GCM). */
export const hpkeInfo = 'turnkey_hpke'

/** Text that follows `Error: ` in an `ERROR` message if the user declines the request in the frame. */
export const frameDeclined = 'the person declined'
