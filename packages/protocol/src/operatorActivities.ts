/** Custody's path for operators' activities, which the admin API forwards. */
export const operatorActivitiesPath = '/public/v1/operator/activities'

/**
 * All activities of operators. None of them adds access: each removes something, or restores what an operator removed.
 */
export const operatorActivityTypes = {
  endSessions: 'ACTIVITY_TYPE_OPERATOR_END_SESSIONS',
  removeCredential: 'ACTIVITY_TYPE_OPERATOR_REMOVE_CREDENTIAL',
  freeze: 'ACTIVITY_TYPE_OPERATOR_FREEZE',
  unfreeze: 'ACTIVITY_TYPE_OPERATOR_UNFREEZE',
  deleteAccount: 'ACTIVITY_TYPE_OPERATOR_DELETE_ACCOUNT',
} as const

export type OperatorActivityType = (typeof operatorActivityTypes)[keyof typeof operatorActivityTypes]

/**
 * `body`: JSON text of an activity, `{ type, timestampMs, organizationId, parameters }`. `stamps`: values of
 * `X-Stamp-Webauthn` over exactly this text, each by a different operator.
 */
export type OperatorActivityRequest = { body: string; stamps: string[] }

/** `doneAt`: ISO 8601. */
export type OperatorActivityResponse = { activityId: string; organizationId: string; doneAt: string }
