import type { EntryPointFormat } from './EntryPointFormat.ts'
import { v07 } from './v07.ts'

/** Marker in the factory field for a sender that delegates to code (ERC-4337 § Support for EIP-7702). */
const delegationFactory = '0x7702'

/** EntryPoint 0.8: the fields of 0.7. The factory marker adds the EIP-7702 delegate to the hash. */
export const v08: EntryPointFormat = {
  ...v07,
  readDelegation: (authorization) => ({
    factory: authorization.then((needed) => needed && delegationFactory),
    factoryData: authorization.then((needed) => needed && '0x'),
    eip7702Auth: authorization,
  }),
  deploys: ({ factory }) => typeof factory === 'string' && factory !== delegationFactory,
}
