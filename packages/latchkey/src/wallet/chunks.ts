import { createChunk } from '../core/createChunk.ts'

/**
 * The table of what the first load leaves out; the signer's row is in `signer`, the dialog's in `react/ui`. All else imports these modules'
 * types only, so that a bundler makes a file of each.
 */

/** Accounts, and the client that sends their operations: viem's client, encoding, hashes. */
export const accountChunk = /* @__PURE__ */ createChunk({
  name: 'account',
  import: () => import('./client/accountParts.ts'),
})

/** The client of node and bundler methods. */
export const bundlerChunk = /* @__PURE__ */ createChunk({
  name: 'client',
  import: () => import('./client/createBundlerClient.ts'),
})
/** The calls of a wallet as other libraries make them (EIP-5792). */
export const providerChunk = /* @__PURE__ */ createChunk({
  name: 'provider',
  import: () => import('./provider/clientCalls.ts'),
})
