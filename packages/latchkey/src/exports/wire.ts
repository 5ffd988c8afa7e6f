export {
  type Activity,
  type ActivityRequest,
  type ActivityResponse,
  type ActivityStatus,
  type ApiKeyStamp,
  activityTypes,
  type CustodyErrorBody,
  custodyPaths,
  type SignRawPayloadParameters,
  type SignRawPayloadResult,
  type Stamp,
  type StampedRequest,
  stampSchemes,
  type Timestamp,
  type WhoamiRequest,
  type WhoamiResponse,
} from '../wire/custody.ts'
export { type ErrorCode, errorCodes } from '../wire/errorCodes.ts'
export { type FrameMessage, type FrameMessageType, frameMessages, hpkeInfo } from '../wire/frames.ts'
export {
  type GasOverride,
  type GasOverrides,
  gatewayMethods,
  type RequestGasAndPaymasterAndDataParameters,
  type RequestGasAndPaymasterAndDataResult06,
  type UserOperationRequest06,
} from '../wire/gateway.ts'
export { headers, sdkVersion, signerTypes } from '../wire/headers.ts'
export {
  type EmailAuthRequest,
  type EmailAuthResponse,
  type LookupRequest,
  type LookupResponse,
  linkParameters,
  type PublicConfig,
  type SignerApiErrorBody,
  type SignPayloadResponse,
  type StampedSignerRequest,
  signerApiPaths,
  signerApiPrefix,
  type WhoamiUserResponse,
} from '../wire/signerApi.ts'
