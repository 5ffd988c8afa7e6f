import { createChunk } from '../../core/createChunk.ts'

/**
 * Code that tracks and resumes operations: not needed to send in a lane that is free, or for a visit without pending
 * operations.
 */
export const outboxChunk = /* @__PURE__ */ createChunk({
  name: 'outbox',
  import: () => import('./resumeOperations.ts'),
})
