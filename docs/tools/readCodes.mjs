import { readSource } from '../../scripts/lib/sources.mjs'

/** Returns all error codes as `{ code, anchor }`, with the anchor in docs/errors.md. */
export function readCodes() {
  const source = readSource('packages/protocol/src/errorCodes.ts')
  return [...source.matchAll(/^ {2}([A-Z_]+): '/gm)].map(([, code]) => ({
    code,
    anchor: code.toLowerCase().replaceAll('_', '-'),
  }))
}
