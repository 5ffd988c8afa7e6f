import { expect, test } from 'vitest'
import * as react from './react.ts'

test('default: what `latchkey/react` offers', () => {
  expect(Object.keys(react).sort()).toEqual([
    'AlchemyAccountProvider',
    'AuthCard',
    'LatchkeyProvider',
    'useAccount',
    'useAddPasskey',
    'useAuthMethods',
    'useAuthModal',
    'useAuthenticate',
    'useBundlerClient',
    'useChain',
    'useClientActions',
    'useConfirmation',
    'useDeletion',
    'useDropAndReplaceUserOperation',
    'useExportAccount',
    'useImportAccount',
    'useLogout',
    'useOperation',
    'useOperations',
    'useSendCalls',
    'useSendTransaction',
    'useSendTransactions',
    'useSendUserOperation',
    'useSession',
    'useSignMessage',
    'useSignTypedData',
    'useSigner',
    'useSignerStatus',
    'useSimulation',
    'useSmartAccountClient',
    'useUser',
    'useWaitForUserOperationTransaction',
  ])
})
