/**
 * The server's logger interface, which a pino logger satisfies. Fields never contain bodies, stamps, bundles or keys.
 */
export type Logger = {
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}

/** A logger that discards everything. */
export const silentLogger: Logger = { info() {}, warn() {}, error() {} }
