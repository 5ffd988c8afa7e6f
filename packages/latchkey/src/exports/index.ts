export type { AssetChange, SimulateAssetChangesResult } from 'latchkey-protocol'
export { ContractRevertedError } from '../accounts/errors/ContractRevertedError.ts'
export { RpcError } from '../accounts/errors/RpcError.ts'
export { type LightAccountActions, lightAccountActions } from '../accounts/lightAccount/lightAccountActions.ts'
export { type ModularAccountActions, modularAccountActions } from '../accounts/modularAccount/modularAccountActions.ts'
export {
  type MultiOwnerLightAccountActions,
  multiOwnerLightAccountActions,
} from '../accounts/multiOwnerLightAccount/multiOwnerLightAccountActions.ts'
export { BaseError, type CodedError } from '../core/errors/BaseError.ts'
export { ChunkFailedError } from '../core/errors/ChunkFailedError.ts'
export { HttpError } from '../core/errors/HttpError.ts'
export { memoryOutbox } from '../core/outbox/memoryOutbox.ts'
export type { OutboxPort, OutboxRecord, Turn } from '../core/outbox/OutboxPort.ts'
export { memoryStorage } from '../core/storage/memoryStorage.ts'
export type { StoragePort } from '../core/storage/StoragePort.ts'
export { alchemyEndpoints, latchkeyEndpoints } from '../signer/endpoints.ts'
export {
  AbortedError,
  BundleInjectionError,
  EmailInitSessionMissingError,
  LinkExpiredError,
  NoOrgIdError,
  NoUserFoundError,
  SupersededError,
} from '../signer/errors/authErrors.ts'
export { ClientOnlyError } from '../signer/errors/ClientOnlyError.ts'
export {
  AccountDeletingError,
  ActivityFailedError,
  CustodyError,
  ExportInjectionError,
  ImportInjectionError,
  ResponseInvalidError,
  SealRefusedError,
  WalletNotFoundError,
} from '../signer/errors/custodyErrors.ts'
export { EmailNeededError } from '../signer/errors/EmailNeededError.ts'
export { MfaRequiredError } from '../signer/errors/MfaRequiredError.ts'
export { NotAuthenticatedError } from '../signer/errors/NotAuthenticatedError.ts'
export { AccountUnprovenError, EndpointsChangedError } from '../signer/errors/trustErrors.ts'
export { getAccount, watchAccount } from '../wallet/actions/account.ts'
export { getBundlerClient, getChain, setChain, watchBundlerClient, watchChain } from '../wallet/actions/chain.ts'
export { createAccount } from '../wallet/actions/createAccount.ts'
export { disconnect, hydrate, reconnect } from '../wallet/actions/session.ts'
export {
  getSigner,
  getSignerStatus,
  getUser,
  watchSigner,
  watchSignerStatus,
  watchUser,
} from '../wallet/actions/signer.ts'
export { getSmartAccountClient, watchSmartAccountClient } from '../wallet/actions/smartAccountClient.ts'
export {
  buildUserOperation,
  buildUserOperationFromTx,
  buildUserOperationFromTxs,
} from '../wallet/client/actions/buildUserOperation.ts'
export { getUserOperationByHash, getUserOperationReceipt } from '../wallet/client/actions/bundlerActions.ts'
export { checkGasSponsorshipEligibility } from '../wallet/client/actions/checkGasSponsorshipEligibility.ts'
export type { ActionContext } from '../wallet/client/actions/context.ts'
export { dropAndReplaceUserOperation } from '../wallet/client/actions/dropAndReplaceUserOperation.ts'
export { estimateUserOperationGas } from '../wallet/client/actions/estimateUserOperationGas.ts'
export { sendTransactions } from '../wallet/client/actions/sendTransactions.ts'
export { sendUserOperation, signUserOperation } from '../wallet/client/actions/sendUserOperation.ts'
export { simulateUserOperation } from '../wallet/client/actions/simulateUserOperation.ts'
export { waitForUserOperationTransaction } from '../wallet/client/actions/waitForUserOperationTransaction.ts'
export { createBundlerClient } from '../wallet/client/createBundlerClient.ts'
export { createOperationContext } from '../wallet/client/createOperationContext.ts'
export { createSmartAccountClient } from '../wallet/client/createSmartAccountClient.ts'
export { rpcTransport } from '../wallet/client/rpcTransport.ts'
export { bundlerMethods, split } from '../wallet/client/split.ts'
export type {
  BundlerClient,
  ClientOptions,
  Connection,
  CostCaps,
  SendTimings,
  SendUserOperationParameters,
  SendUserOperationResult,
  SentUserOperation,
  SmartAccountClient,
  TransactionInput,
  TransactionsParameters,
  UserOperationReceipt,
  WaitParameters,
  WaitRetries,
} from '../wallet/client/types.ts'
export { cookieStorage } from '../wallet/cookies/cookieStorage.ts'
export { cookieToInitialState } from '../wallet/cookies/cookieToInitialState.ts'
export { parseInitialState, serializeInitialState } from '../wallet/cookies/stateScript.ts'
export { createConfig } from '../wallet/createConfig.ts'
export { UserOperationRefusedError } from '../wallet/errors/UserOperationRefusedError.ts'
export { UserOperationRevertedError } from '../wallet/errors/UserOperationRevertedError.ts'
export { WaitForUserOperationError } from '../wallet/errors/WaitForUserOperationError.ts'
export { latchkeyDevnet } from '../wallet/latchkeyDevnet.ts'
export { erc7677Middleware } from '../wallet/middleware/erc7677.ts'
export type {
  GasManagerConfig,
  Middleware,
  MiddlewareConfig,
  MiddlewareContext,
} from '../wallet/middleware/types.ts'
export { dismissOperation, listOperations, watchOperation, watchOperations } from '../wallet/outbox/listOperations.ts'
export { resumeOperations } from '../wallet/outbox/resumeOperations.ts'
export type { FailureEvidence, OperationRecord, OperationState, OutboxOptions } from '../wallet/outbox/types.ts'
export { createProvider } from '../wallet/provider/createProvider.ts'
export { getProvider } from '../wallet/provider/getProvider.ts'
export { ProviderRpcError } from '../wallet/provider/ProviderRpcError.ts'
export type { ConfirmRequest, ProviderEvents, ProviderOptions, WalletProvider } from '../wallet/provider/types.ts'
export type {
  AccountConfig,
  AccountState,
  AccountType,
  ChainConnection,
  ClientState,
  CoreState,
  CreateStorage,
  DialogPort,
  InitialState,
  LatchkeyConfig,
  PersistedClientState,
  SignerStatusObject,
} from '../wallet/store/types.ts'
export type {
  AnyCall,
  AnyFunctionInput,
  AnyUserOperationInput,
  CallInput,
  CheckedCalls,
  CheckedUserOperationInput,
  FeeOption,
  FeeOptions,
  FunctionInput,
  GasEstimate,
  UserOperationDraft,
  UserOperationInput,
  UserOperationOverrides,
  UserOperationRequest,
  UserOperationStruct,
} from '../wallet/userOperation/types.ts'
export { announceProvider, type ProviderInfo } from '../web/announceProvider.ts'
export { FrameDeclinedError } from '../web/frameErrors.ts'
export { indexedDbOutbox } from '../web/indexedDbOutbox.ts'
export {
  PasskeyCancelledError,
  PasskeyExistsError,
  PasskeyFailedError,
  PasskeyTimeoutError,
  PasskeyTransportUnknownError,
  PasskeyUnsupportedError,
} from '../web/passkey/errors.ts'
