import { createChunk } from '../core/createChunk.ts'

/**
 * Chunks that are not in the first load. `signer` defines the signer's chunk, `react/ui` the dialog's. Other modules
 * import only types from these chunks' modules, so that bundlers split the chunks off.
 */

/** Accounts and their clients: viem's client, encoding and hashes. */
export const accountChunk = /* @__PURE__ */ createChunk({
  name: 'account',
  import: () => import('./client/accountParts.ts'),
})

/** Client for node and bundler methods. */
export const bundlerChunk = /* @__PURE__ */ createChunk({
  name: 'client',
  import: () => import('./client/createBundlerClient.ts'),
})
/** Wallet calls made by other libraries (EIP-5792). */
export const providerChunk = /* @__PURE__ */ createChunk({
  name: 'provider',
  import: () => import('./provider/clientCalls.ts'),
})
