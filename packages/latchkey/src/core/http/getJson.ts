import type { BaseError } from '../errors/BaseError.ts'
import type { HttpError } from '../errors/HttpError.ts'
import { requestJson } from './requestJson.ts'

export declare namespace getJson {
  type Parameters = Omit<requestJson.Parameters, 'method' | 'body'>
  type ReturnType = unknown
  type ErrorType = BaseError | HttpError
}

/** `GET`s a JSON answer. Errors as in {@link requestJson}. */
export function getJson(parameters: getJson.Parameters): Promise<getJson.ReturnType> {
  return requestJson({ ...parameters, method: 'GET' })
}
