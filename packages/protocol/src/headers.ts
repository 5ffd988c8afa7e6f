/** Version of the wire protocol, sent with signer API and JSON-RPC calls. */
export const sdkVersion = '3.14.1'

/** Version of the product; `npm run bump` writes it. */
export const productVersion = '0.1.0'

/** HTTP header names of the documented wire protocol (case-insensitive). */
export const headers = {
  sdkVersion: 'Alchemy-AA-Sdk-Version',
  signerType: 'Alchemy-Aa-Sdk-Signer',
  apiKeyStamp: 'X-Stamp',
  webauthnStamp: 'X-Stamp-Webauthn',
  clientVersion: 'X-Client-Version',
} as const

/** Header on every call of the console's page. A page of another origin cannot set it without a CORS preflight. */
export const consoleHeader = 'x-latchkey-console'
