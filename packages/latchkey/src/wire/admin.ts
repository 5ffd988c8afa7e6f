import type { ErrorCode } from './errorCodes.ts'

/** Where the admin API is served. Its paths, with who may call them, are in its OpenAPI document. */
export const adminPath = '/admin/v1'

/** What an operator may do, each all that the ones before it may: look, change, make keys of operators. */
export const operatorRoles = ['viewer', 'operator', 'admin'] as const

export type OperatorRole = (typeof operatorRoles)[number]

/** Body of every response of the admin API that is no success. */
export type AdminErrorBody = { error: { code: ErrorCode; message: string; requestId: string } }
