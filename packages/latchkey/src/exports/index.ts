export type { LightAccountActions } from '../accounts/actions/lightAccountActions.ts'
export { lightAccountActions } from '../accounts/actions/lightAccountActions.ts'
export { type ModularAccountActions, modularAccountActions } from '../accounts/modularAccount/modularAccountActions.ts'
export { BaseError } from '../core/errors/BaseError.ts'
export { memoryStorage } from '../core/storage/memoryStorage.ts'
export type { StoragePort } from '../core/storage/StoragePort.ts'
export { alchemyEndpoints } from '../signer/endpoints/alchemyEndpoints.ts'
export { latchkeyEndpoints } from '../signer/endpoints/latchkeyEndpoints.ts'
export { createAccount } from '../wallet/actions/createAccount.ts'
export { disconnect } from '../wallet/actions/disconnect.ts'
export { getAccount } from '../wallet/actions/getAccount.ts'
export { getBundlerClient } from '../wallet/actions/getBundlerClient.ts'
export { getChain } from '../wallet/actions/getChain.ts'
export { getSigner } from '../wallet/actions/getSigner.ts'
export { getSignerStatus } from '../wallet/actions/getSignerStatus.ts'
export { getSmartAccountClient } from '../wallet/actions/getSmartAccountClient.ts'
export { getUser } from '../wallet/actions/getUser.ts'
export { hydrate } from '../wallet/actions/hydrate.ts'
export { reconnect } from '../wallet/actions/reconnect.ts'
export { setChain } from '../wallet/actions/setChain.ts'
export { watchAccount } from '../wallet/actions/watchAccount.ts'
export { watchBundlerClient } from '../wallet/actions/watchBundlerClient.ts'
export { watchChain } from '../wallet/actions/watchChain.ts'
export { watchSigner } from '../wallet/actions/watchSigner.ts'
export { watchSignerStatus } from '../wallet/actions/watchSignerStatus.ts'
export { watchSmartAccountClient } from '../wallet/actions/watchSmartAccountClient.ts'
export { watchUser } from '../wallet/actions/watchUser.ts'
export { createBundlerClient } from '../wallet/client/createBundlerClient.ts'
export { createSmartAccountClient } from '../wallet/client/createSmartAccountClient.ts'
export { rpcTransport } from '../wallet/client/rpcTransport.ts'
export type {
  BundlerClient,
  CallInput,
  ClientOptions,
  Connection,
  FeeOption,
  FeeOptions,
  GasManagerConfig,
  Middleware,
  MiddlewareConfig,
  MiddlewareContext,
  SendTimings,
  SendUserOperationParameters,
  SendUserOperationResult,
  SmartAccountClient,
  TransactionInput,
  TransactionsParameters,
  UserOperationDraft,
  UserOperationInput,
  UserOperationOverrides,
  UserOperationReceipt,
  UserOperationRequest,
  UserOperationStruct,
  WaitRetries,
} from '../wallet/client/types.ts'
export { createConfig } from '../wallet/createConfig.ts'
export { UserOperationRevertedError } from '../wallet/errors/UserOperationRevertedError.ts'
export { WaitForUserOperationError } from '../wallet/errors/WaitForUserOperationError.ts'
export type {
  AccountConfig,
  AccountState,
  AccountType,
  ChainConnection,
  ClientState,
  CoreState,
  CreateStorage,
  LatchkeyConfig,
  PersistedClientState,
  SignerStatusObject,
} from '../wallet/store/types.ts'
export type { AssetChange, SimulateAssetChangesResult } from '../wire/gateway.ts'
