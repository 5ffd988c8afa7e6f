import { headers, type StampedRequest } from 'latchkey/wire'
import { z } from 'zod'
import { ServerError } from '../../http/ServerError.ts'

const stampHeaders = [headers.apiKeyStamp, headers.webauthnStamp].map((name) => name.toLowerCase())

/** Body of the routes that carry a stamped custody request. */
export const stampedSchema = z.object({
  stampedRequest: z.object({
    body: z.string().min(2),
    stamp: z.object({
      stampHeaderName: z
        .string()
        .refine((name) => stampHeaders.includes(name.toLowerCase()), 'must be X-Stamp or X-Stamp-Webauthn'),
      stampHeaderValue: z
        .string()
        .max(8192)
        .regex(/^[\x20-\x7e]+$/, 'must be visible ASCII'),
    }),
    url: z.string().max(2048),
  }),
})

export declare namespace requirePath {
  type ErrorType = ServerError
}

/**
 * Checks that a request was stamped for the custody call of this route. Query bodies are interchangeable between
 * calls, so the path is all that tells them apart. The host is of no interest: requests go to our own custody.
 */
export function requirePath(request: Pick<StampedRequest, 'url'>, path: string): void {
  const url = URL.canParse(request.url) ? new URL(request.url) : undefined
  if (url?.pathname !== path)
    throw new ServerError(`stampedRequest.url must be the custody API's ${path}.`, {
      code: 'REQUEST_INVALID',
      status: 400,
    })
}
