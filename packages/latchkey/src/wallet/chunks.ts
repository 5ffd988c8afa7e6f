import { createChunk } from '../core/createChunk.ts'

/**
 * Chunks that the first load omits; the signer's is in `signer`, the dialog's in `react/ui`. Other modules import only
 * types from the modules of these chunks, so that a bundler splits the chunks off.
 */

/** Accounts, and the client that sends their operations: viem's client, encoding, hashes. */
export const accountChunk = /* @__PURE__ */ createChunk({
  name: 'account',
  import: () => import('./client/accountParts.ts'),
})

/** Client of node and bundler methods. */
export const bundlerChunk = /* @__PURE__ */ createChunk({
  name: 'client',
  import: () => import('./client/createBundlerClient.ts'),
})
/** Wallet calls made by other libraries (EIP-5792). */
export const providerChunk = /* @__PURE__ */ createChunk({
  name: 'provider',
  import: () => import('./provider/clientCalls.ts'),
})
