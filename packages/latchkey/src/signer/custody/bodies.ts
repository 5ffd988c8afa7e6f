import type { NewPasskey } from '../../web/platform.ts'
import {
  type ActivityRequest,
  activityTypes,
  type CreateAuthenticatorsParameters,
  custodyPaths,
  type ExportWalletAccountParameters,
  type ExportWalletParameters,
  type GetActivityRequest,
  type ListWalletAccountsRequest,
  type ListWalletsRequest,
  type SignRawPayloadParameters,
  type WhoamiRequest,
} from '../../wire/custody.ts'

// A stamp covers the exact text, so the member order below is part of the wire.

export const whoamiPath = custodyPaths.whoami
export const signRawPayloadPath = custodyPaths.signRawPayload

export function whoamiBody(orgId: string): string {
  return JSON.stringify({ organizationId: orgId } satisfies WhoamiRequest)
}

/** `timestampMs`: client wall clock; it also makes two requests for one payload two activities. */
export function signRawPayloadBody(parameters: {
  orgId: string
  payload: `0x${string}`
  signWith: string
  timestampMs: number
}): string {
  return JSON.stringify({
    organizationId: parameters.orgId,
    type: activityTypes.signRawPayload,
    timestampMs: String(parameters.timestampMs),
    parameters: {
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_NO_OP',
      payload: parameters.payload,
      signWith: parameters.signWith,
    },
  } satisfies ActivityRequest<SignRawPayloadParameters>)
}

export function getActivityBody({ activityId, organizationId }: GetActivityRequest): string {
  return JSON.stringify({ activityId, organizationId } satisfies GetActivityRequest)
}

export function listWalletsBody(orgId: string): string {
  return JSON.stringify({ organizationId: orgId } satisfies ListWalletsRequest)
}

export function listWalletAccountsBody(orgId: string, walletId: string): string {
  return JSON.stringify({ organizationId: orgId, walletId } satisfies ListWalletAccountsRequest)
}

export function createAuthenticatorsBody(parameters: {
  orgId: string
  userId: string
  passkey: NewPasskey
  timestampMs: number
}): string {
  const { orgId, userId, passkey, timestampMs } = parameters
  const { credentialId, attestationObject, clientDataJson, transports } = passkey.attestation
  const attestation = { credentialId, attestationObject, clientDataJson, transports }
  const authenticatorName = `passkey-${timestampMs}`
  return JSON.stringify({
    type: activityTypes.createAuthenticators,
    timestampMs: String(timestampMs),
    organizationId: orgId,
    parameters: { userId, authenticators: [{ attestation, authenticatorName, challenge: passkey.challenge }] },
  } satisfies ActivityRequest<CreateAuthenticatorsParameters>)
}

export function exportWalletBody(parameters: {
  orgId: string
  walletId: string
  targetPublicKey: string
  timestampMs: number
}): string {
  const { orgId, walletId, targetPublicKey, timestampMs } = parameters
  return JSON.stringify({
    organizationId: orgId,
    type: activityTypes.exportWallet,
    timestampMs: String(timestampMs),
    parameters: { walletId, targetPublicKey },
  } satisfies ActivityRequest<ExportWalletParameters>)
}

export function exportWalletAccountBody(parameters: {
  orgId: string
  address: string
  targetPublicKey: string
  timestampMs: number
}): string {
  const { orgId, address, targetPublicKey, timestampMs } = parameters
  return JSON.stringify({
    organizationId: orgId,
    type: activityTypes.exportWalletAccount,
    timestampMs: String(timestampMs),
    parameters: { address, targetPublicKey },
  } satisfies ActivityRequest<ExportWalletAccountParameters>)
}
