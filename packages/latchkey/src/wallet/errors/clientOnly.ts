import { BaseError } from '../../core/errors/BaseError.ts'

/** State that exists in a page was asked for while rendering on a server. */
export function clientOnly(property: string): BaseError {
  return new BaseError(`${property} is only available on the client`, {
    code: 'CLIENT_ONLY',
    metaMessages: ['Read it in the browser, after mounting.'],
    name: 'ClientOnlyPropertyError',
  })
}
