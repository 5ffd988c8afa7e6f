import { errorCodes } from 'latchkey/wire'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'

/** Whose operations are paid for. So far a policy sponsors every operation of every project. */
export type Policy = { id: string }

export const defaultPolicies: readonly Policy[] = [{ id: 'default' }]

export declare namespace findPolicy {
  type ErrorType = RpcError
}

/** The policy of that id. Throws `POLICY_NOT_FOUND` when there is none. */
export function findPolicy(policies: readonly Policy[], id: string): Policy {
  const policy = policies.find((candidate) => candidate.id === id)
  if (policy) return policy
  throw new RpcError(`There is no gas policy with the id ${JSON.stringify(id.slice(0, 64))}. Check the policyId.`, {
    code: errorCodes.POLICY_NOT_FOUND,
    rpcCode: rpcCodes.invalidParams,
  })
}
