import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino'

const secretNames = [
  'apiKey',
  'authorization',
  'body',
  'bundle',
  'databaseUrl',
  'email',
  'entropy',
  'key',
  'link',
  'password',
  'payload',
  'privateKey',
  'smtpUrl',
  'stamp',
  'to',
]

export declare namespace createLogger {
  type Options = {
    /** @default 'info' */
    level?: string | undefined
    /** @default standard output */
    destination?: DestinationStream | undefined
  }
}

/**
 * Returns a pino logger that writes JSON lines. Redacts fields with secret-like names at the top two levels, although
 * callers must not log secrets.
 */
export function createLogger(options: createLogger.Options = {}): PinoLogger {
  const settings = {
    level: options.level ?? 'info',
    base: null,
    redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: '[secret]' },
  }
  return options.destination ? pino(settings, options.destination) : pino(settings)
}
