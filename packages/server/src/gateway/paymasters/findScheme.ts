import { errorCodes } from 'latchkey/wire'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'
import type { PaymasterScheme } from './types.ts'

export declare namespace findScheme {
  type ErrorType = RpcError
}

/** The way operations of that entry point are sponsored. Throws `ENTRY_POINT_NOT_FOUND` when they are not. */
export function findScheme(schemes: readonly PaymasterScheme[], entryPoint: string): PaymasterScheme {
  const scheme = schemes.find((candidate) => candidate.entryPoint.toLowerCase() === entryPoint.toLowerCase())
  if (scheme) return scheme
  const known = schemes.map((candidate) => candidate.entryPoint).join(', ')
  throw new RpcError(`Operations of the entry point ${entryPoint} are not sponsored here. Use one of: ${known}.`, {
    code: errorCodes.ENTRY_POINT_NOT_FOUND,
    rpcCode: rpcCodes.invalidParams,
  })
}
