/** Where custody takes what operators ask for; the admin API passes it on. */
export const operatorActivitiesPath = '/public/v1/operator/activities'

/** All that custody does for operators: each takes something away, or gives back what an operator took. */
export const operatorActivityTypes = {
  endSessions: 'ACTIVITY_TYPE_OPERATOR_END_SESSIONS',
  removeCredential: 'ACTIVITY_TYPE_OPERATOR_REMOVE_CREDENTIAL',
  freeze: 'ACTIVITY_TYPE_OPERATOR_FREEZE',
  unfreeze: 'ACTIVITY_TYPE_OPERATOR_UNFREEZE',
  deleteAccount: 'ACTIVITY_TYPE_OPERATOR_DELETE_ACCOUNT',
} as const

export type OperatorActivityType = (typeof operatorActivityTypes)[keyof typeof operatorActivityTypes]

/**
 * `body`: JSON text of an activity, `{ type, timestampMs, organizationId, parameters }`. `stamps`: values of `X-Stamp-Webauthn` over
 * exactly this text, each of another operator.
 */
export type OperatorActivityRequest = { body: string; stamps: string[] }

/** `doneAt`: ISO 8601. */
export type OperatorActivityResponse = { activityId: string; organizationId: string; doneAt: string }
