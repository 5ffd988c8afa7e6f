/** Version of the wire, sent on signer-service and JSON-RPC calls. */
export const sdkVersion = '3.14.1'

/** Version of the product; `npm run bump` writes it. */
export const productVersion = '0.1.0'

/** HTTP header names of the documented wire (case-insensitive on the wire). */
export const headers = {
  sdkVersion: 'Alchemy-AA-Sdk-Version',
  signerType: 'Alchemy-Aa-Sdk-Signer',
  apiKeyStamp: 'X-Stamp',
  webauthnStamp: 'X-Stamp-Webauthn',
  clientVersion: 'X-Client-Version',
} as const

/** Header on every call of the console's page; a page of another origin cannot set it without a CORS preflight. */
export const consoleHeader = 'x-latchkey-console'
