import type { Hex } from 'viem'
import type { Call, LatchkeyAccount } from '../../accounts/types.ts'
import type { CallInput, UserOperationDraft, UserOperationInput, UserOperationOverrides } from '../client/types.ts'

export declare namespace initUserOperation {
  type Parameters = {
    account: LatchkeyAccount
    uo: UserOperationInput
    overrides: UserOperationOverrides
  }
}

/**
 * What is known of a user operation before fees and gas: sender, nonce, deployment, call data and dummy signature.
 * The reads run side by side and may still be on their way when this returns.
 */
export function initUserOperation({ account, uo, overrides }: initUserOperation.Parameters): UserOperationDraft {
  const draft = {
    ...deployment(account),
    sender: account.address,
    nonce: account.getNonce({ key: overrides.nonceKey ?? 0n }),
    callData: encode(account, uo),
    signature: account.getStubSignature(),
  }
  // A step may fail before these are looked at; their own failure must not end the process then.
  for (const value of Object.values(draft)) Promise.resolve(value).catch(() => {})
  return draft
}

function deployment(account: LatchkeyAccount): UserOperationDraft {
  if (account.entryPointVersion === '0.6.0') return { initCode: account.getInitCode() }
  const args = account.getFactoryArgs()
  return {
    factory: args.then(({ factory }) => factory),
    factoryData: args.then(({ factoryData }) => factoryData),
  }
}

function encode(account: LatchkeyAccount, uo: UserOperationInput): Hex | Promise<Hex> {
  if (typeof uo === 'string') return uo
  return account.encodeCalls((isBatch(uo) ? uo : [uo]).map(toCall))
}

function isBatch(uo: CallInput | readonly CallInput[]): uo is readonly CallInput[] {
  return Array.isArray(uo)
}

function toCall({ target, data, value }: CallInput): Call {
  return { to: target, data, value }
}
