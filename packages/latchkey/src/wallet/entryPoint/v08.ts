import type { Hex } from 'viem'
import { getUserOperationHash } from 'viem/account-abstraction'
import { toSignedFields } from '../../accounts/toSignedFields.ts'
import type { CompleteUserOperation } from '../userOperation/types.ts'
import type { EntryPointFormat } from './EntryPointFormat.ts'
import { v07 } from './v07.ts'

/** Factory of an operation whose sender delegates its address to code (ERC-4337 § Support for EIP-7702). */
const delegationFactory = '0x7702'

/** EntryPoint 0.8: the fields of 0.7. The hash is that of typed data (EIP-712), and contains the delegate of EIP-7702. */
export const v08: EntryPointFormat = {
  ...v07,
  readDelegation: (authorization) => ({
    factory: authorization.then((needed) => needed && delegationFactory),
    factoryData: authorization.then((needed) => needed && '0x'),
    eip7702Auth: authorization,
  }),
  deploys: ({ factory }) => typeof factory === 'string' && factory !== delegationFactory,
  hash: hashSigned,
}

/** Hashes the fields that the owner signs, the same for 0.9. */
function hashSigned(operation: CompleteUserOperation, entryPoint: Parameters<EntryPointFormat['hash']>[1]): Hex {
  const userOperation = toSignedFields(operation)
  return getUserOperationHash<'0.8'>({ ...entryPoint, entryPointVersion: '0.8', userOperation })
}
