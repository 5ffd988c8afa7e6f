import { readSource } from '../../scripts/lib/sources.mjs'

/** The closed list of error codes, as `{ code, anchor }`: the anchor of each on docs/errors.md. */
export function readCodes() {
  const source = readSource('packages/protocol/src/errorCodes.ts')
  return [...source.matchAll(/^ {2}([A-Z_]+): '/gm)].map(([, code]) => ({
    code,
    anchor: code.toLowerCase().replaceAll('_', '-'),
  }))
}
