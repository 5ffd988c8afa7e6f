import { latchkeyDevChain } from './latchkeyDevChain.ts'
import type { LatchkeyChain } from './types.ts'

/** The chain of a local dev world started with its default ports and id 31337. */
export const latchkeyDev: LatchkeyChain = /* @__PURE__ */ latchkeyDevChain()
