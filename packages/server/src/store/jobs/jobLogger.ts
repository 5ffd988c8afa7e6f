import { Logger as JobLogger } from 'graphile-worker'
import { type Logger, silentLogger } from '../../http/logger.ts'

/**
 * The job queue's log lines as ours: what went wrong only, without its own details, which may hold payloads. A job that
 * failed says so itself.
 */
export function jobLogger(logger: Logger = silentLogger): JobLogger {
  return new JobLogger(() => (level, message) => {
    if (String(level) === 'error') logger.error({}, `Job queue: ${firstLine(message)}`)
    else if (String(level) === 'warning') logger.warn({}, `Job queue: ${firstLine(message)}`)
  })
}

function firstLine(message: string): string {
  return message.split('\n')[0]?.slice(0, 300) ?? ''
}
