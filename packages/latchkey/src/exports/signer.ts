export type { KeyScope, Spending, SpendingLimit, SpendingRules } from 'latchkey-protocol'
export { BaseError } from '../core/errors/BaseError.ts'
export { HttpError } from '../core/errors/HttpError.ts'
export type { OperationContent, SignedContent, SignUserOperationParameters } from '../core/signedContent.ts'
export { memoryStorage } from '../core/storage/memoryStorage.ts'
export type { StoragePort } from '../core/storage/StoragePort.ts'
export type {
  AuthParameters,
  BundleParameters,
  CodeParameters,
  EmailParameters,
  PasskeyLoginParameters,
  PasskeyParameters,
  PasskeySignupParameters,
} from '../signer/AuthParameters.ts'
export type { Authenticator, ConnectedProvider, SessionKey } from '../signer/Credentials.ts'
export { createSigner } from '../signer/createSigner.ts'
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
export type { CreatePaperKeyParameters, PaperKey } from '../signer/PaperKey.ts'
export type { EndedSession, PendingConfirmation, PendingDeletion } from '../signer/pending.ts'
export type {
  AddAgentKeyParameters,
  AddPasskeyOptions,
  ConnectedReason,
  Endpoints,
  ExportWalletParameters,
  IframeConfig,
  PinnedServer,
  SealWalletParameters,
  SessionConfig,
  Signer,
  SignerConnection,
  SignerEvents,
  SignerParameters,
  SignerStatus,
  User,
} from '../signer/types.ts'
export type { WaitOptions } from '../signer/WaitOptions.ts'
export type { ImportWalletParameters, WalletImport } from '../signer/WalletImport.ts'
export { FrameDeclinedError } from '../web/frameErrors.ts'
export {
  PasskeyCancelledError,
  PasskeyExistsError,
  PasskeyFailedError,
  PasskeyTimeoutError,
  PasskeyTransportUnknownError,
  PasskeyUnsupportedError,
} from '../web/passkey/errors.ts'
export type {
  DeviceKeyPort,
  Frame,
  Link,
  OpenFrameOptions,
  PasskeyCreationOptions,
  PasskeyPort,
  Platform,
} from '../web/platform.ts'
export { webPlatform } from '../web/webPlatform.ts'
