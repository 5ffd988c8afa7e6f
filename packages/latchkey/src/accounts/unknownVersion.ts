import { BaseError } from '../core/errors/BaseError.ts'

/** Somebody asked for a version there is not. */
export function unknownVersion(source: string, version: string, known: readonly string[]): BaseError {
  return new BaseError(`Unknown version ${version} of ${source}`, {
    code: 'VERSION_UNKNOWN',
    metaMessages: [`Known versions: ${known.join(', ')}`],
  })
}
