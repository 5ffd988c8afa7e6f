import { readSource } from '../../scripts/lib/sources.mjs'

/** Returns the closed list of error codes as `{ code, anchor }`, with each code's anchor in docs/errors.md. */
export function readCodes() {
  const source = readSource('packages/protocol/src/errorCodes.ts')
  return [...source.matchAll(/^ {2}([A-Z_]+): '/gm)].map(([, code]) => ({
    code,
    anchor: code.toLowerCase().replaceAll('_', '-'),
  }))
}
