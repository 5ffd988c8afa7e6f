export { BaseError } from '../core/errors/BaseError.ts'
export { HttpError } from '../core/errors/HttpError.ts'
export { memoryStorage } from '../core/storage/memoryStorage.ts'
export type { StoragePort } from '../core/storage/StoragePort.ts'
export { createSigner } from '../signer/createSigner.ts'
export { alchemyEndpoints } from '../signer/endpoints/alchemyEndpoints.ts'
export { latchkeyEndpoints } from '../signer/endpoints/latchkeyEndpoints.ts'
export type {
  AuthParameters,
  BundleParameters,
  EmailParameters,
  Endpoints,
  ExportWalletParameters,
  IframeConfig,
  PasskeyLoginParameters,
  PasskeyParameters,
  PasskeySignupParameters,
  SessionConfig,
  Signer,
  SignerConnection,
  SignerEvents,
  SignerParameters,
  SignerStatus,
  User,
} from '../signer/types.ts'
export type { Frame, Link, OpenFrameOptions, PasskeyCreationOptions, Platform } from '../web/platform.ts'
export { webPlatform } from '../web/webPlatform.ts'
