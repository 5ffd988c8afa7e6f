import { createChunk } from '../../core/createChunk.ts'

/**
 * Code that tracks and resumes operations: not needed by a send whose lane is free, or a visit with nothing pending.
 */
export const outboxChunk = /* @__PURE__ */ createChunk({
  name: 'outbox',
  import: () => import('./resumeOperations.ts'),
})
