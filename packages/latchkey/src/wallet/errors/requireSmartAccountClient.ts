import { BaseError } from '../../core/errors/BaseError.ts'

/** Refuses, in plain JavaScript too, a client that sends no user operations. Throws `CLIENT_INCOMPATIBLE`. */
export function requireSmartAccountClient(
  client: { type?: string; sendUserOperation?: unknown },
  method: string,
): void {
  if (typeof client?.sendUserOperation === 'function') return
  throw new BaseError(`Client of type (${client?.type}) is not a SmartAccountClient.`, {
    code: 'CLIENT_INCOMPATIBLE',
    metaMessages: [`Create one with \`createSmartAccountClient\` first before using \`${method}\``],
    name: 'IncompatibleClientError',
  })
}
