import type { Middleware } from '../client/types.ts'

/** A step that does nothing. */
export const pass: Middleware = async (draft) => draft
