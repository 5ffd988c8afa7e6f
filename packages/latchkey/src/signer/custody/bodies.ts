import {
  type ActivityRequest,
  activityTypes,
  custodyPaths,
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
