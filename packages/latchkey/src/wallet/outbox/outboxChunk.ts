import { createChunk } from '../../core/createChunk.ts'

/** Code that tracks and resumes operations. Not needed without pending operations. */
export const outboxChunk = /* @__PURE__ */ createChunk({
  name: 'outbox',
  import: () => import('./resumeOperations.ts'),
})
