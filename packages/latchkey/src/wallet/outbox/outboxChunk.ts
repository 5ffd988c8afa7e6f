import { createChunk } from '../../core/createChunk.ts'

/**
 * Code that tracks and resumes operations: not needed to send when no other operation uses the same nonce key, or for a
 * visit without pending operations.
 */
export const outboxChunk = /* @__PURE__ */ createChunk({
  name: 'outbox',
  import: () => import('./resumeOperations.ts'),
})
