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
 * JSON lines by pino. Fields named like a secret are blanked, at the top and one level down: a second line of
 * defence, since nothing is meant to log them.
 */
export function createLogger(options: createLogger.Options = {}): PinoLogger {
  const settings = {
    level: options.level ?? 'info',
    base: null,
    redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: '[secret]' },
  }
  return options.destination ? pino(settings, options.destination) : pino(settings)
}
