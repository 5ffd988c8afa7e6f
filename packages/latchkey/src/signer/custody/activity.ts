import { type ActivityRequest, activityTypes, custodyPaths } from '../../wire/custody.ts'

type Name = keyof typeof activityTypes

/** An activity to submit. A stamp covers the exact text of its body, made when the time is known. */
export type ActivityCall = {
  path: string
  body: (timestampMs: number) => string
  /** Member of the activity's result that holds the answer. */
  resultKey: string
}

/** A call of the key-custody service that changes something, in the member order of the documented wire. */
export function activity<parameters>(
  name: Name,
  organizationId: string,
  parameters: parameters | ((timestampMs: number) => parameters),
): ActivityCall {
  return {
    path: custodyPaths[name],
    resultKey: `${name}Result`,
    body(timestampMs) {
      const given =
        typeof parameters === 'function' ? (parameters as (ms: number) => parameters)(timestampMs) : parameters
      const type = activityTypes[name]
      return JSON.stringify({
        organizationId,
        type,
        timestampMs: String(timestampMs),
        parameters: given,
      } satisfies ActivityRequest<parameters>)
    },
  }
}
