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
 * Returns a pino logger that writes JSON lines. Redacts fields named like a secret, at the top and one level down, as a
 * second line of defense, since callers must not log them in the first place.
 */
export function createLogger(options: createLogger.Options = {}): PinoLogger {
  const settings = {
    level: options.level ?? 'info',
    base: null,
    redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: '[secret]' },
  }
  return options.destination ? pino(settings, options.destination) : pino(settings)
}
