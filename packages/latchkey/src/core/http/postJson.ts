import type { BaseError } from '../errors/BaseError.ts'
import type { HttpError } from '../errors/HttpError.ts'
import { requestJson } from './requestJson.ts'

export declare namespace postJson {
  type Parameters = Omit<requestJson.Parameters, 'method' | 'body'> & {
    /** Sent as it is when text; anything else as JSON. */
    body: unknown
  }
  type ReturnType = unknown
  type ErrorType = BaseError | HttpError
}

/** `POST`s JSON and reads a JSON answer. Errors as in {@link requestJson}. */
export function postJson(parameters: postJson.Parameters): Promise<postJson.ReturnType> {
  const { body, headers, ...rest } = parameters
  return requestJson({
    ...rest,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}
