'use client'

// Accounts and clients. Bundles keep the order of this file, and similar neighbors compress better.

export { useAccount } from '../react/hooks/useAccount.ts'
export { useBundlerClient } from '../react/hooks/useBundlerClient.ts'
export { useChain } from '../react/hooks/useChain.ts'
export { useClientActions } from '../react/hooks/useClientActions.ts'
export { useConfirmation } from '../react/hooks/useConfirmation.ts'
export { useDeletion } from '../react/hooks/useDeletion.ts'
export { useOwners } from '../react/hooks/useOwners.ts'
export { useSmartAccountClient } from '../react/hooks/useSmartAccountClient.ts'

// Operations and signatures

export { useDropAndReplaceUserOperation } from '../react/hooks/useDropAndReplaceUserOperation.ts'
export { useOperation, useOperations } from '../react/hooks/useOperations.ts'
export { useSendCalls } from '../react/hooks/useSendCalls.ts'
export { useSendTransaction } from '../react/hooks/useSendTransaction.ts'
export { useSendTransactions } from '../react/hooks/useSendTransactions.ts'
export { useSendUserOperation } from '../react/hooks/useSendUserOperation.ts'
export { useSignMessage } from '../react/hooks/useSignMessage.ts'
export { useSignTypedData } from '../react/hooks/useSignTypedData.ts'
export { useSimulation } from '../react/hooks/useSimulation.ts'
export { useWaitForUserOperationTransaction } from '../react/hooks/useWaitForUserOperationTransaction.ts'

// Sign-in

export { useAccessToken } from '../react/hooks/useAccessToken.ts'
export { useAddPasskey } from '../react/hooks/useAddPasskey.ts'
export { useAuthenticate } from '../react/hooks/useAuthenticate.ts'
export { useAuthMethods } from '../react/hooks/useAuthMethods.ts'
export { useAuthModal } from '../react/hooks/useAuthModal.ts'
export { useConnectedProviders } from '../react/hooks/useConnectedProviders.ts'
export { useExportAccount } from '../react/hooks/useExportAccount.ts'
export { useImportAccount } from '../react/hooks/useImportAccount.ts'
export { useLogout } from '../react/hooks/useLogout.ts'
export { useMFA } from '../react/hooks/useMFA.ts'
export { useSession } from '../react/hooks/useSession.ts'
export { useSigner } from '../react/hooks/useSigner.ts'
export { useSignerStatus } from '../react/hooks/useSignerStatus.ts'
export { useSpendingRules } from '../react/hooks/useSpendingRules.ts'
export { useUser } from '../react/hooks/useUser.ts'
export {
  LatchkeyProvider,
  /** Name in the published SDK. */
  LatchkeyProvider as AlchemyAccountProvider,
} from '../react/LatchkeyProvider.ts'
export { AuthCard } from '../react/ui/AuthCard.ts'
export type {
  AuthOption,
  AuthUiConfig,
  EmailOption,
  ExportAccountComponentProps,
  PasskeyOption,
  SocialOption,
  ThemeToken,
  UiConfig,
} from '../react/ui/uiConfig.ts'
