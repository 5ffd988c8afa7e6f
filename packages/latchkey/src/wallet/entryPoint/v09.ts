import { readHex } from '../rpc.ts'
import type { EntryPointFormat } from './EntryPointFormat.ts'
import { v08 } from './v08.ts'

/** EntryPoint 0.9: a separate field for the paymaster's signature, which the operation's hash excludes. */
export const v09: EntryPointFormat = {
  ...v08,
  readPaymasterFields: (reply, action) => ({
    ...v08.readPaymasterFields(reply, action),
    ...(reply.paymasterSignature === undefined
      ? {}
      : { paymasterSignature: readHex(reply.paymasterSignature, action) }),
  }),
}
