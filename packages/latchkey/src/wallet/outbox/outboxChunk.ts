import { createChunk } from '../../core/createChunk.ts'

/** What follows operations and takes them up again: a send whose lane is free, and a visit with nothing open, need none of it. */
export const outboxChunk = /* @__PURE__ */ createChunk({
  name: 'outbox',
  import: () => import('./resumeOperations.ts'),
})
