/** The server's logger interface; a pino logger fits. Fields never hold bodies, stamps, bundles or keys. */
export type Logger = {
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}

/** A logger that drops everything. */
export const silentLogger: Logger = { info() {}, warn() {}, error() {} }
