import { expect, test } from 'vitest'
import * as react from './react.ts'

test('default: what `latchkey/react` offers', () => {
  expect(Object.keys(react).sort()).toEqual([
    'LatchkeyProvider',
    'useAccount',
    'useAddPasskey',
    'useAuthModal',
    'useAuthenticate',
    'useBundlerClient',
    'useChain',
    'useClientActions',
    'useConfirmation',
    'useDeletion',
    'useDropAndReplaceUserOperation',
    'useExportAccount',
    'useLogout',
    'useSendTransaction',
    'useSendTransactions',
    'useSendUserOperation',
    'useSignMessage',
    'useSignTypedData',
    'useSigner',
    'useSignerStatus',
    'useSmartAccountClient',
    'useUser',
    'useWaitForUserOperationTransaction',
  ])
})
